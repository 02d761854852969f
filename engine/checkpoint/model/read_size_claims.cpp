#include "model/read_size_claims.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace headlight {

namespace {

using Json = nlohmann::json;

struct Key {
    std::string_view name;
    ModelSize size;
};
// Keys of Hugging Face, timm, torchvision, OpenCLIP, vit-pytorch and other common ones.
constexpr std::array kKeys{Key{"num_hidden_layers", ModelSize::layers},
                           Key{"num_layers", ModelSize::layers},
                           Key{"n_layers", ModelSize::layers},
                           Key{"n_layer", ModelSize::layers},
                           Key{"depth", ModelSize::layers},
                           Key{"layers", ModelSize::layers},
                           Key{"encoder_layers", ModelSize::layers},
                           Key{"num_encoder_layers", ModelSize::layers},
                           Key{"num_blocks", ModelSize::layers},
                           Key{"hidden_size", ModelSize::width},
                           Key{"embed_dim", ModelSize::width},
                           Key{"embedding_dim", ModelSize::width},
                           Key{"hidden_dim", ModelSize::width},
                           Key{"d_model", ModelSize::width},
                           Key{"n_embd", ModelSize::width},
                           Key{"num_features", ModelSize::width},
                           Key{"width", ModelSize::width},
                           Key{"dim", ModelSize::width},
                           Key{"intermediate_size", ModelSize::mlp_width},
                           Key{"mlp_dim", ModelSize::mlp_width},
                           Key{"ffn_dim", ModelSize::mlp_width},
                           Key{"encoder_ffn_dim", ModelSize::mlp_width},
                           Key{"n_inner", ModelSize::mlp_width},
                           Key{"num_attention_heads", ModelSize::heads},
                           Key{"num_heads", ModelSize::heads},
                           Key{"n_heads", ModelSize::heads},
                           Key{"n_head", ModelSize::heads},
                           Key{"heads", ModelSize::heads},
                           Key{"encoder_attention_heads", ModelSize::heads},
                           Key{"patch_size", ModelSize::patch}};

// Adds the sizes of one object.
void add_claims(const Json& object, std::vector<SizeClaim>& claims) {
    constexpr std::int64_t kMost = 1 << 20;
    for (const auto& [name, size] : kKeys) {
        const auto value = object.find(name);
        if (value == object.end() || !value->is_number_integer()) continue;
        const auto number = value->get<std::int64_t>();
        if (number >= 1 && number <= kMost)
            claims.push_back({size, std::string(name), static_cast<int>(number)});
    }
}

const Json* section(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? &*found : nullptr;
}

}  // namespace

std::vector<SizeClaim> size_claims(const Json& config) {
    std::vector<SizeClaim> claims;
    if (const Json* vision = section(config, "vision_config")) {
        add_claims(*vision, claims);
        return claims;
    }
    if (const Json* open_clip = section(config, "model_cfg")) {
        const Json* vision = section(*open_clip, "vision_cfg");
        if (vision && !vision->contains("timm_model_name")) add_claims(*vision, claims);
        return claims;
    }
    add_claims(config, claims);
    if (const Json* arguments = section(config, "model_args")) add_claims(*arguments, claims);
    return claims;
}

bool is_size_key(const std::string& key) {
    return std::ranges::any_of(kKeys, [&](const Key& known) { return known.name == key; });
}

}  // namespace headlight

#include "model/argument_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "json/bounded_json.h"
#include "kernels/counted.h"
#include "model/model.h"

namespace headlight {

namespace {

using Json = nlohmann::json;
using Found = std::optional<std::string>;  // the tensors' value; nothing: no contradiction

// [16, 16] becomes 16.
Json one_of(const Json& value) {
    const bool is_alike = value.is_array() && !value.empty() &&
                          std::ranges::all_of(value, [&](const Json& x) { return x == value[0]; });
    return is_alike ? value[0] : value;
}

Found number(const Json& given, Index found, std::string_view noun = {}) {
    const Json value = one_of(given);
    if (value.is_number() && value.get<double>() == static_cast<double>(found)) return {};
    return "have " + (noun.empty() ? std::to_string(found) : counted(found, noun));
}

// null, false and 0 mean that a part is missing.
Found presence(const Json& given, bool found, const std::string& what, const char* article = "") {
    const bool expected = !given.is_null() && given != Json(false) && given != Json(0);
    if (expected == found) return {};
    return "have " + (found ? article : std::string("no ")) + what;
}

Found found_image_size(const Json& given, const Model& model) {
    const PositionTable& table = model.positions;
    if (!table.table || !model.splits.empty() || model.patch_size < 1) return {};
    const Json sides = given.is_array() && given.size() == 2 ? given : Json::array({given, given});
    const auto patches = [&](const Json& side) {
        return side.is_number() ? std::floor(side.get<double>() / model.patch_size) : 0;
    };
    if (patches(sides[0]) == table.grid_rows && patches(sides[1]) == table.grid_cols) return {};
    return "have positions for " + std::to_string(table.grid_rows) + " × " +
           std::to_string(table.grid_cols) + " patches";
}

Found found_mlp_ratio(const Json& given, const Model& model) {
    const Layer& layer = model.layers.back();
    if (!layer.mlp_in.exists() || !given.is_number()) return {};
    const double expected = given.get<double>() * layer.attention.channels;
    const Index hidden = layer.mlp_out.weight->view().cols;
    for (const Index found : {hidden, layer.mlp_in.weight->view().rows})
        if (std::abs(expected - static_cast<double>(found)) <= 1) return {};
    return "have an MLP " + std::to_string(hidden) + " wide at a width of " +
           std::to_string(layer.attention.channels);
}

// Pooling of patches has a norm of its own, pooling of the class token does not, unless fc_norm
// says otherwise.
Found found_pooling_norm(const std::string& pooling, const Model& model) {
    static const std::set<std::string_view> families{"timm", "deit", "dino", "dinov2", "mae"};
    if (!families.contains(model.family)) return {};
    if (pooling == "avg" && model.norm.exists() && !model.pooled_norm.exists())
        return "have norm, but not the fc_norm of this pooling";
    if (pooling == "token" && model.pooled_norm.exists())
        return "have fc_norm, which belongs to the mean of the patches";
    return {};
}

Found found_pooling(const Json& given, const Model& model, const ModelArguments& all) {
    if (!given.is_string()) return {};
    const std::string& pooling = given.get_ref<const std::string&>();
    const bool has_pool = model.attention_pool.exists() ||
                          std::ranges::any_of(model.unused_tensors, [](const std::string& name) {
                              return name.find("attn_pool.") != std::string::npos;
                          });
    if (pooling == "map" && !has_pool) return "have no attention pooling";
    if (pooling != "map" && has_pool) return "have attention pooling";
    if (pooling == "token" && !model.prefix.class_token) return "have no class token";
    return all.contains("fc_norm") ? std::nullopt : found_pooling_norm(pooling, model);
}

Found found_classes(const Json& given, const Model& model) {
    if (!model.classifier.exists() || model.gives_embedding) return {};
    return number(given, model.classifier.weight->view().rows, "class");
}

// For models whose layers all have the same tokens.
Found found_in_plain_model(const std::string& key, const Json& given, const Model& model) {
    const Layer& layer = model.layers.back();
    const PrefixTokens& prefix = model.prefix;
    if (key == "embed_dim") return number(given, model.width());
    if (key == "depth")
        return number(given, static_cast<Index>(model.layers.size()) - model.token_transformers(),
                      "layer");
    if (key == "img_size") return found_image_size(given, model);
    if (key == "mlp_ratio") return found_mlp_ratio(given, model);
    if (key == "class_token")
        return presence(given, prefix.class_token != nullptr, "class token", "a ");
    if (key == "reg_tokens")
        return number(given, prefix.registers ? prefix.registers->view().rows : 0, "register");
    if (key == "init_values") return presence(given, layer.ls1 != nullptr, "LayerScale");
    if (key == "qk_norm")
        return presence(given, layer.query_norm.exists(), "norms of query and key");
    if (key == "pre_norm")
        return presence(given, model.pre_norm.exists(), "norm before the layers", "a ");
    if (key == "fc_norm") return presence(given, model.pooled_norm.exists(), "fc_norm", "an ");
    const bool has_own_rows = model.positions.table && prefix.count() > 0;
    if (key == "no_embed_class" && has_own_rows)
        return presence(given, model.positions.cover == PositionCover::patches,
                        "positions for the patches alone");
    return {};
}

Found found_for(const std::string& key, const Json& given, const Model& model,
                const ModelArguments& all) {
    if (key == "in_chans") return number(given, model.image_channels, "channel");
    if (key == "patch_size" && model.splits.empty()) return number(given, model.patch_size);
    if (key == "num_classes") return found_classes(given, model);
    if (key == "global_pool") return found_pooling(given, model, all);
    if (key == "qkv_bias")
        return presence(given, model.layers.back().attention.qkv_bias,
                        "biases of query, key and value");
    return model.layers.back().window.exists() ? std::nullopt
                                               : found_in_plain_model(key, given, model);
}

}  // namespace

std::optional<std::string> contradiction(const ModelArguments& arguments, const Model& model,
                                         const std::string& said) {
    if (model.is_maps() || model.is_bare_layer() || model.layers.empty()) return {};
    std::string text;
    for (const auto& [key, json] : arguments) {
        if (said.find('"' + key + "\" is ") != std::string::npos) continue;
        const Json given = Json::parse(json, nullptr, false);
        const Found found = found_for(key, given, model, arguments);
        if (found)
            text += (text.empty() ? "" : "; ") + ('"' + key) + "\" is " + json.substr(0, 60) +
                    ", but the tensors " + *found;
    }
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace headlight

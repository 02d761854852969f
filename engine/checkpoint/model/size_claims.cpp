#include "model/size_claims.h"

#include <algorithm>
#include <set>

#include "model/model.h"

namespace headlight {

namespace {

using Sizes = std::set<Index>;

// The sizes in the tensors; several if layers or stages differ.
Sizes sizes_of(const Model& model, ModelSize size) {
    Sizes sizes;
    const auto layers = static_cast<Index>(model.layers.size()) - model.token_transformers();
    if (size == ModelSize::layers) {
        sizes.insert(layers);
        if (model.has_merges()) sizes.insert(static_cast<Index>(model.stages().size()));
    } else if (size == ModelSize::patch) {
        if (model.splits.empty()) sizes.insert(model.patch_size);
    } else {
        for (const Layer& layer : model.layers) {
            if (size == ModelSize::width) sizes.insert(layer.attention.channels);
            if (size == ModelSize::mlp_width && layer.mlp_in.exists()) {
                sizes.insert(layer.mlp_in.weight->view().rows);
                sizes.insert(layer.mlp_out.weight->view().cols);
            }
        }
    }
    return sizes;
}

// Heads must divide the width and fit tensors with a value per head.
bool fits_heads(const Model& model, int heads) {
    const Layer& layer = model.layers.back();
    if (layer.window.exists()) return true;  // the number differs per stage
    const int width = layer.attention.channels;
    if (width % heads != 0) return false;
    if (layer.query_norm.exists() && layer.query_norm.gamma->view().cols != width / heads)
        return false;
    return !layer.relative_bias.exists() || layer.relative_bias.table->view().cols == heads;
}

// A bare layer tells nothing about patches and the number of layers.
bool can_tell(const Model& model, ModelSize size) {
    if (model.is_maps()) return false;
    const bool whole = !model.is_bare_layer();
    return whole || size == ModelSize::width || size == ModelSize::heads;
}

// "768", "96 to 768".
std::string claims_text(const Sizes& sizes) {
    const std::string first = std::to_string(*sizes.begin());
    return sizes.size() == 1 ? first : first + " to " + std::to_string(*sizes.rbegin());
}

std::string found(const Model& model, const SizeClaim& claim) {
    if (claim.size == ModelSize::heads)
        return "do not fit it (width " + std::to_string(model.width()) + ")";
    const std::string number = claims_text(sizes_of(model, claim.size));
    const char* unit = number == "1" ? " layer" : " layers";
    return "have " + number + (claim.size == ModelSize::layers ? unit : "");
}

bool agrees(const Model& model, const SizeClaim& claim) {
    if (!can_tell(model, claim.size)) return true;
    if (claim.size == ModelSize::heads) return fits_heads(model, claim.value);
    const Sizes sizes = sizes_of(model, claim.size);
    return sizes.empty() || sizes.contains(claim.value);
}

}  // namespace

std::optional<std::string> contradiction(const std::vector<SizeClaim>& claims, const Model& model) {
    std::string text;
    for (const SizeClaim& claim : claims) {
        const bool right = std::ranges::any_of(claims, [&](const SizeClaim& other) {
            return other.size == claim.size && agrees(model, other);
        });
        if (right) continue;
        text += (text.empty() ? "" : "; ") + ('"' + claim.key) + "\" is " +
                std::to_string(claim.value) + ", but the tensors " + found(model, claim);
    }
    return text.empty() ? std::nullopt : std::optional(text);
}

bool claims_more_layers(const std::vector<SizeClaim>& claims, const Model& model) {
    const auto layers = static_cast<int>(model.layers.size()) - model.token_transformers();
    return std::ranges::any_of(claims, [&](const SizeClaim& claim) {
        return claim.size == ModelSize::layers && claim.value > layers &&
               can_tell(model, claim.size) && !agrees(model, claim);
    });
}

}  // namespace headlight

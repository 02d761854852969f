#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/names.h"

// The methods that compute a map over the patches that shows what a class depends on. class_maps.h
// computes them.
namespace headlight {

// A is one head's attention in a layer, ∇A is ∂y/∂A, "mean" is over the heads, and ⁺ sets negative
// cells to 0. "Its row" is the class token's row over the patches, or for models that pool their
// patches the mean over the patches' rows.
enum class MapMethod {
    // mean A of the last chosen layer: its row.
    last_attention,
    // Rollout (analysis/rollout.h): its row.
    rollout,
    // mean (A ⊙ ∇A)⁺ of the last chosen layer: its row. Applies the idea of Grad-CAM to attention.
    attention_gradient,
    // R ← F̂ R from the first chosen layer on, R₀ = I. F is mean (A ⊙ ∇A) with negatives set to 0
    // and the smallest `discard_ratio` of its cells set to 0 (discard_lowest). F̂ = (F + I) / 2,
    // with each row divided by its sum. The map is its row. jacobgil/vit-explain.
    gradient_rollout,
    // R ← R + mean ((∇A ⊙ A)⁺) R in the same way: its row. Chefer, Gur and Wolf, "Generic
    // Attention-model Explainability", arXiv 2103.15679.
    relevance,
    // Σ over the chosen layers of (∂y_l/∂A_l)⁺, averaged over heads and all queries, at the
    // patches. y_l is y with the model's end applied to the output of layer l. Bousselham et al.,
    // "LeGrad", arXiv 2404.03214, without its last step, which rescales the map to 0..1.
    legrad,
    // (Σ_c w_c N_c)⁺ over the channels c of N, the first norm of the last chosen layer. w_c is the
    // mean of ∂y/∂N_c over all tokens. Selvaraju et al., "Grad-CAM", arXiv 1610.02391, applied to
    // tokens.
    grad_cam,
    // Per patch, Σ |∂y/∂x| over its normalized pixels x in all channels.
    input_gradient,
    // Per patch, Σ x · ∂y/∂x.
    gradient_times_input,
    // Per patch, Σ x · mean over α of ∂y/∂x at α x. There are `steps` values of α, the midpoints of
    // equal parts of 0..1, from the mean color to the picture. Sundararajan, Taly and Yan,
    // "Axiomatic Attribution for Deep Networks", arXiv 1703.01365.
    integrated_gradients,
};
template <>
inline constexpr auto kNames<MapMethod> = std::to_array<std::string_view>(
    {"last_attention", "rollout", "attention_gradient", "gradient_rollout", "relevance", "legrad",
     "grad_cam", "input_gradient", "gradient_times_input", "integrated_gradients"});

struct MapMethodInfo {
    MapMethod id{};
    std::string_view title;  // "attention × gradient"
    std::string_view help;   // A: a layer's attention, G: its gradient
};
std::span<const MapMethodInfo> all_map_methods();
const MapMethodInfo& info(MapMethod method);

// The inputs of a method besides the class.
bool reads_attention(MapMethod method);    // uses layers and heads
bool reads_layers(MapMethod method);       // methods that use attention, and Grad-CAM
bool starts_at_a_layer(MapMethod method);  // goes from layer to layer, or sums over layers
bool asks_for_class(MapMethod method);     // all but attention and rollout

// Parses comma-separated names, "relevance,grad-cam", and keeps their order. Throws ValueError,
// whose message starts with `option`, for an unknown name and for a repeated one.
std::vector<MapMethod> map_methods_named(const std::string& option, const std::string& text);
// The inverse: "relevance,grad_cam".
std::string names_of(const std::vector<MapMethod>& methods);

}  // namespace headlight

#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/names.h"

// The ways to make a map over the patches that says what a class depends on; class_maps.h computes
// them.
namespace headlight {

// In each, A is a layer's attention of one head, ∇A is ∂y/∂A, mean is over the heads, ⁺ puts
// negative cells to 0. "Its row": the class token's row over the patches; of models that pool their
// patches the mean over the patches' rows.
enum class MapMethod {
    // mean A of the last chosen layer: its row.
    last_attention,
    // Rollout (analysis/rollout.h): its row.
    rollout,
    // mean (A ⊙ ∇A)⁺ of the last chosen layer: its row. Grad-CAM's idea on attention.
    attention_gradient,
    // R ← F̂ R from the first chosen layer on, R₀ = I: F = mean (A ⊙ ∇A), negatives to 0, the
    // smallest `discard_ratio` of its cells to 0 (discard_lowest), F̂ = (F + I) / 2 with each row
    // divided by its sum: its row. jacobgil/vit-explain.
    gradient_rollout,
    // R ← R + mean ((∇A ⊙ A)⁺) R likewise: its row. Chefer, Gur and Wolf, "Generic
    // Attention-model Explainability", arXiv 2103.15679.
    relevance,
    // Σ over the chosen layers of (∂y_l/∂A_l)⁺, mean over heads and over all queries: its patches.
    // y_l is y as the model's end reads it of the stream behind layer l. Bousselham et al.,
    // "LeGrad", arXiv 2404.03214; without its last step, which brings the map to 0..1.
    legrad,
    // (Σ_c w_c N_c)⁺ over the channels c of N, the first norm of the last chosen layer; w_c is the
    // mean of ∂y/∂N_c over all tokens. Selvaraju et al., "Grad-CAM", arXiv 1610.02391, on tokens.
    grad_cam,
    // Of each patch, over its pixels x (less the mean, by the deviation) in all channels: Σ
    // |∂y/∂x|.
    input_gradient,
    // The same with Σ x · ∂y/∂x.
    gradient_times_input,
    // The same with Σ x · mean over α of ∂y/∂x at α x, for `steps` values of α in the middles of
    // equal parts of 0..1: from the mean color to the picture. Sundararajan, Taly and Yan,
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
    std::string_view help;   // A: a layer's attention, G: the gradient by it
};
std::span<const MapMethodInfo> all_map_methods();
const MapMethodInfo& info(MapMethod method);

// What a method takes beside the class.
bool reads_attention(MapMethod method);    // layers and heads
bool reads_layers(MapMethod method);       // those that read attention, and Grad-CAM
bool starts_at_a_layer(MapMethod method);  // goes from layer to layer, or adds them up
bool asks_for_class(MapMethod method);     // all but attention and rollout

// Names with commas, "relevance,grad-cam", in that order. Throws ValueError, which begins with
// `option`, for what is no method and for one that is there twice.
std::vector<MapMethod> map_methods_named(const std::string& option, const std::string& text);
// Such a text: "relevance,grad_cam".
std::string names_of(const std::vector<MapMethod>& methods);

}  // namespace headlight

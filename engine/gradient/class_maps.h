#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/prediction.h"
#include "gradient/backward.h"
#include "kernels/names.h"
#include "patches/patches.h"

// Maps over the patches that say what a class's logit, or what a model without classes gives,
// depends on.
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
bool starts_at_a_layer(MapMethod method);  // goes from layer to layer, or adds them up
bool asks_for_class(MapMethod method);     // all but attention and rollout

struct ClassMapQuestion {
    MapMethod method = MapMethod::relevance;
    std::optional<Index> of_class{};  // none: the model's answer
    std::vector<int>
        layers{};  // from 0, ascending, T2T's token transformers not counted; empty: all
    double discard_ratio = 0;  // of gradient_rollout
    int steps = 32;            // of integrated_gradients
    std::vector<int> heads{};  // from 0, whose mean is taken, where attention is read; empty: all
};

struct ClassMap {
    PatchGrid grid;
    Matrix cells;  // [grid.rows, grid.cols]
    // The class, and what the model says of it; none: of a model without classes.
    std::optional<Prediction> about{};
};

// A trace that has come as far as its patches, of one that went further: what class_map() begins
// with. Throws RecipeError where its tokens were given.
Trace back_to_patches(const Trace& done);

// Of the first sample. `front` has come as far as its patches, as Runner::run() takes it. progress
// hears of each layer. Throws RecipeError where there is no such gradient, class or head,
// AnalysisError where the layers read different tokens and the method compares them, Stopped.
ClassMap class_map(Trace front, const Counterfactual& change, const ClassMapQuestion& question,
                   const StopFlag& stop = {},
                   const std::function<void(const std::string&)>& progress = {});

}  // namespace headlight

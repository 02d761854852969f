#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "attention/layer.h"
#include "image/image.h"
#include "kernels/matrix.h"
#include "patches/patches.h"
#include "trace/steps.h"
#include "trace/tensors.h"

namespace headlight {

// A matrix with a number that no other result in this process has. Views and caches compare the
// number, so an unchanged result is neither looked at nor uploaded again.
struct Result {
    Matrix matrix;
    std::uint64_t version = 0;
};
using SharedResult = std::shared_ptr<const Result>;

SharedResult make_result(Matrix matrix);

// Everything that one run computed, never changed afterwards. Two traces share the results of the
// steps that a change of parameters did not touch.
struct Trace {
    // Empty (null) where the layer was given its tokens.
    std::shared_ptr<const Image> source;  // the file as decoded, upright
    std::shared_ptr<const Image>
        image;  // framed and converted, the pixels that the patches are cut from
    PatchGrid grid;
    std::vector<float> mean, std;  // token cell = (pixel - mean[c]) / std[c], one per channel

    AttentionConfig config;
    AttentionShape shape;
    std::shared_ptr<const AttentionWeights> weights;
    std::shared_ptr<const Mask> mask;  // null: nothing blocked
    float factor = 1.0F;               // scores = products · factor

    // Null where a step does not exist (no positions, no skip). query..value are views into qkv, or
    // into query_only and key_value in cross-attention.
    SharedResult pixels, patches, positions, tokens, value_tokens, qkv, query_only, key_value;
    SharedResult products, scores, attention, concat, projection, output;
    SharedResult qkv_weight, qkv_bias, projection_weight, projection_bias;

    std::array<double, kStepCount>
        milliseconds{};                         // of the run in which the step was last computed
    std::array<bool, kStepCount> recomputed{};  // in the run that made this trace

    [[nodiscard]] bool has(Tensor tensor) const;

    // One sample's matrix; `head` counts for tensors that are kept per head. Empty where
    // !has(tensor).
    [[nodiscard]] MatrixView view(Tensor tensor, Index sample = 0, Index head = 0) const;

    // The number of the result that `tensor` is stored in; 0 where !has(tensor).
    [[nodiscard]] std::uint64_t version(Tensor tensor) const;

    // Time of the steps from QKV to the end.
    [[nodiscard]] double layer_milliseconds() const;

  private:
    [[nodiscard]] const SharedResult& stored(Tensor tensor) const;
};

}  // namespace headlight

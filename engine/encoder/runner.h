#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "attention/layer.h"
#include "checkpoint/files.h"
#include "encoder/recipe.h"
#include "trace/trace.h"

namespace headlight {

// A recipe that cannot be computed: one sentence, what is wrong and what to do.
class RecipeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Bytes that the trace of a layer keeps: O(N·(D + C) + H·N·M). Runs beyond the limit are refused
// before anything is allocated.
double trace_bytes(const AttentionShape& shape, Index dim);
inline constexpr double kMaxTraceBytes = 6.0 * 1024 * 1024 * 1024;

// Computes one recipe after another, each from the first step that differs from the last finished
// one. A run is a sequence of slices, one step each, so a caller without threads can draw in
// between.
class Runner {
  public:
    explicit Runner(FileReader read_file) : read_file_(std::move(read_file)) {}

    // Begins a run. An unfinished one is dropped; its predecessor's results stay.
    void begin(const Recipe& recipe);

    // Computes the next step. True while there is more to do.
    // Throws Stopped, or a std::runtime_error whose sentence says what is wrong (RecipeError, or
    // that of the module that found it: ImageError, PatchError, AttentionError, CheckpointError, or
    // the file reader's own). Then the run is over and the last finished trace stays.
    bool advance(const StopFlag& stop = {});

    // All slices at once.
    std::shared_ptr<const Trace> run(const Recipe& recipe, const StopFlag& stop = {});

    [[nodiscard]] bool running() const { return draft_ != nullptr; }
    [[nodiscard]] float progress() const;  // finished steps of all steps that this run needs, 0..1
    [[nodiscard]] std::shared_ptr<const Trace> last() const { return last_; }

  private:
    void compute(Step step, const StopFlag& stop);
    void choose_layer();
    void load_weights(AttentionConfig& config);
    [[nodiscard]] bool keeps_weights(const AttentionConfig& config) const;

    FileReader read_file_;
    Recipe recipe_, last_recipe_;
    std::shared_ptr<const Trace> last_;
    std::unique_ptr<Trace> draft_;
    int first_ = 0, next_ = 0;
};

// What a layer is given when there is no image: tokens of B samples. In cross-attention the value
// tokens have the same width D.
struct LayerInput {
    Index batch = 1;
    Matrix tokens;        // [B·N, D]
    Matrix value_tokens;  // [B·M, D] for cross-attention; empty: self-attention
    std::shared_ptr<const Mask> mask;
};

// Runs one attention layer on given tokens. Throws AttentionError where shapes disagree.
std::shared_ptr<const Trace> run_layer(LayerInput input, const AttentionConfig& config,
                                       std::shared_ptr<const AttentionWeights> weights);

}  // namespace headlight

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attention/layer.h"
#include "checkpoint/files.h"
#include "encoder/blocks.h"
#include "encoder/limits.h"
#include "encoder/program.h"
#include "encoder/recipe.h"
#include "trace/trace.h"

namespace headlight {

// Hears of every layer of a model as it is computed: `layer` holds its attention and what else it
// keeps, and is gone afterwards. Called in the order of the layers.
using LayerObserver = std::function<void(const Trace& layer)>;

// Computes one recipe after another, each from the first step that differs from the last finished
// one; another layer is computed from its input alone. A run is a sequence of slices, one step or
// one whole layer each, so a caller without threads can draw in between.
class Runner {
  public:
    explicit Runner(FileReader read_file, LayerObserver observer = {})
        : read_file_(std::move(read_file)), observer_(std::move(observer)) {}

    // Begins a run. An unfinished one is dropped; its predecessor's results stay.
    void begin(const Recipe& recipe);

    // Computes the next slice. True while there is more to do.
    // Throws Stopped, or a std::runtime_error whose sentence says what is wrong (RecipeError, or
    // that of the module that found it: ImageError, PatchError, AttentionError, CheckpointError, or
    // the file reader's own). Then the run is over and the last finished trace stays.
    bool advance(const StopFlag& stop = {});

    // All slices at once.
    std::shared_ptr<const Trace> run(const Recipe& recipe, const StopFlag& stop = {});

    [[nodiscard]] bool running() const { return draft_ != nullptr; }
    [[nodiscard]] float progress() const;  // of the slices that this run needs, 0..1
    // The step that the last slice belonged to: after a failure, the one that failed. A model that
    // cannot be loaded fails at qkv, the first that weights belong to; a layer that there is not,
    // at norm1.
    [[nodiscard]] Step at() const { return at_; }
    [[nodiscard]] std::shared_ptr<const Trace> last() const { return last_; }

  private:
    [[nodiscard]] bool needs_other_model() const;
    // What leads to the layer and what follows it is there; only the layer is another.
    [[nodiscard]] bool only_looks_elsewhere() const;
    void load(const StopFlag& stop);
    void plan();
    void compute(const Slice& slice, const StopFlag& stop);
    void compute_step(Step step, const StopFlag& stop);
    void compute_block(int block, const StopFlag& stop);
    void enter(int block, const StopFlag& stop);
    void finish_block();
    void make_room_for_later_blocks();
    void complete_attention(const StopFlag& stop);
    [[nodiscard]] Counterfactual counterfactual() const;
    [[nodiscard]] const Block& looked_at() const;

    void enter_bare_layer(const StopFlag& stop);
    [[nodiscard]] AttentionConfig bare_config() const;

    FileReader read_file_;
    LayerObserver observer_;
    Recipe recipe_, last_recipe_;
    std::shared_ptr<const Trace> last_;
    std::unique_ptr<Trace> draft_;
    std::vector<Slice> slices_;
    std::size_t next_ = 0;
    bool loading_ = false;  // the model is still to be read: the first slice of this run
    bool loads_ = false;    // it was, or is
    Step at_ = Step::image;
};

// What a layer is given when there is no image: tokens of B samples. In cross-attention the value
// tokens have the same width D.
struct LayerInput {
    Index batch = 1;
    Matrix tokens;        // [B·N, D]
    Matrix value_tokens;  // [B·M, D] for cross-attention; empty: self-attention
    std::shared_ptr<const Mask> mask;
};

// Runs one attention layer on given tokens: a block without norms and MLP. Throws AttentionError
// where shapes disagree; RecipeError where the trace would not fit into memory.
std::shared_ptr<const Trace> run_layer(LayerInput input, const Block& block);
std::shared_ptr<const Trace> run_layer(LayerInput input, const AttentionConfig& config,
                                       std::shared_ptr<const AttentionWeights> weights);

// Runs a whole model on a trace that has come as far as its patches (picture_steps.h), or has what
// enters the first layer: Tensor::tokens, or Tensor::pre_norm where the model has that norm. For
// all samples of its batch. Every layer is computed in full: the observer sees each with products
// and scores too. Gives the trace back with the last layer and what follows it. Throws as
// Runner::advance does.
Trace run_encoder(Trace front, const Counterfactual& change, PositionKind positions,
                  const LayerObserver& observer, const StopFlag& stop = {});

}  // namespace headlight

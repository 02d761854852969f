#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encoder/plan.h"
#include "files/file.h"
#include "ops/limits.h"
#include "ops/ops.h"
#include "program/recipe.h"
#include "trace/trace.h"

namespace headlight {

// The model in a file does not read the tokens that are given; a picture it may.
class TokensRefused : public RecipeError {
  public:
    using RecipeError::RecipeError;
};

// The recipe looks at a layer that the model does not have.
class LayerRefused : public RecipeError {
  public:
    LayerRefused(const std::string& why, std::shared_ptr<const Model> of)
        : RecipeError(why), model(std::move(of)) {}
    std::shared_ptr<const Model> model;
};

// Where several runners share what they read: the model of the recipe's file that is there already,
// or what `read` makes of the files that the reader gives it. Called by a run, on its thread;
// throws what `read` throws, and Stopped.
using ModelRead = std::function<std::shared_ptr<const Model>(const FileReader&)>;
using ModelSource = std::function<std::shared_ptr<const Model>(const Recipe&, const ModelRead& read,
                                                               const StopFlag&)>;

// Called with each layer of a model when it is computed, in the order of the layers. `layer` holds
// its attention and what else it keeps, and is gone afterwards.
using LayerObserver = std::function<void(const Trace& layer)>;

// What a run begins with that no recipe describes: a trace that has come as far as its patches, or
// has what enters the first layer (Tensor::tokens, or Tensor::pre_norm where the model has that
// norm), for all samples of its batch. And what is changed.
struct Beginning {
    Trace front;
    Counterfactual change{};
};

// Such a trace of the recipe's picture. read_file: where the picture may be a file.
Trace front_of_picture(std::shared_ptr<const Model> model, const Recipe& recipe,
                       const Tools& tools);

// What such a run computes of its layers.
enum class LayerDetail {
    full,  // everything, products and scores too; the trace keeps that of the last layer
    lean,  // input, attention and output, which only the observer sees
};

// Computes one recipe after another, each time what is made of something else than in the last
// finished one. A run is a sequence of tasks, one step or one whole layer each, so a caller without
// threads can draw in between.
class Runner {
  public:
    // Without `models` it reads each file itself.
    explicit Runner(FileReader read_file, LayerObserver observer = {}, ModelSource models = {})
        : read_file_(std::move(read_file)),
          observer_(std::move(observer)),
          models_(std::move(models)) {}

    // Begins a run. An unfinished one is dropped; its predecessor's results stay.
    void begin(const Recipe& recipe);

    // Computes the next task. True while there is more to do.
    // Throws Stopped, or a std::runtime_error whose sentence says what is wrong (RecipeError, or
    // that of the module that found it: ImageError, PatchError, AttentionError, CheckpointError, or
    // the file reader's own). Then the run is over and the last finished trace stays.
    bool advance(const StopFlag& stop = {});

    // All tasks at once.
    std::shared_ptr<const Trace> run(const Recipe& recipe, const StopFlag& stop = {});

    // Runs a whole model, all samples of its batch, and gives the trace back with what follows the
    // last layer. Throws as advance() does.
    static Trace run(Beginning beginning, LayerObserver observer = {}, const StopFlag& stop = {},
                     LayerDetail detail = LayerDetail::full);

    // Once this run has computed the layer that is looked at, while there is more to do: a trace of
    // what is there. Of what follows the layer it has the nodes, but no results. Else null; also
    // where the layer's squares are too large to be kept for it.
    [[nodiscard]] std::shared_ptr<const Trace> layer_alone() const;

    [[nodiscard]] bool running() const { return draft_ != nullptr; }
    [[nodiscard]] float progress() const;  // of the tasks that this run needs, 0..1
    // The step that the last task belonged to: after a failure, the one that failed. A model that
    // cannot be loaded fails at qkv, the first that weights belong to; a layer that there is not,
    // at norm1; a layer that cannot be computed as it is wanted, at heads.
    [[nodiscard]] Step at() const { return at_; }
    [[nodiscard]] std::shared_ptr<const Trace> last() const { return last_; }

  private:
    [[nodiscard]] bool needs_other_model() const;
    [[nodiscard]] std::shared_ptr<const Model> read_model(const StopFlag& stop) const;
    void load(const StopFlag& stop);
    void plan();
    void plan_front();
    void plan_layer();
    void plan_given();
    void compute(const Task& task, const StopFlag& stop);
    void compute_nodes(const std::vector<Node>& nodes, std::size_t at, const StopFlag& stop);
    void compute_other_layer(int layer, const StopFlag& stop);
    void compute_given_layer(int layer, const StopFlag& stop);
    void enter(const StopFlag& stop);
    void leave();
    void note_made(int layer);
    void complete_attention(const StopFlag& stop);
    void begin_layers(const StopFlag& stop);
    [[nodiscard]] Counterfactual counterfactual() const;
    [[nodiscard]] LayerStamp wanted(int layer) const;

    // Bare layers, which the recipe decides where no file does: bare_layer.cpp.
    struct ScoreToBeDrawn {
        Score score = Score::scaled_dot;
        Index heads = 0, keys = 0;  // 0 keys: nothing
        friend bool operator==(const ScoreToBeDrawn&, const ScoreToBeDrawn&) = default;
    };
    [[nodiscard]] std::shared_ptr<const Model> drawn_model() const;
    [[nodiscard]] ScoreToBeDrawn wanted_score() const;
    void check_bare_width() const;
    void check_alike() const;
    void check_width(Tensor tokens, int reads, const std::string& does) const;
    void draw(const StopFlag& stop);

    // What was drawn last; kept beside the drafts, which may be dropped.
    struct Drawn {
        std::shared_ptr<const Model> model;
        std::uint64_t seed = 0;
        ScoreToBeDrawn score;
    };

    // A model that refused its tokens: read already where a picture is asked of it next.
    struct PutAside {
        Recipe recipe;
        std::shared_ptr<const Model> model;
    };

    // A run that no recipe describes.
    struct Given {
        Counterfactual change;
        LayerDetail detail = LayerDetail::full;
    };

    FileReader read_file_;
    LayerObserver observer_;
    ModelSource models_;
    Recipe recipe_, last_recipe_;
    std::optional<Given> given_;  // then there is no recipe
    std::shared_ptr<const Trace> last_;
    LayerStamps layers_made_, last_layers_made_;  // what made each layer as a whole
    std::unique_ptr<Trace> draft_;
    Program program_;
    LayerSettings settings_;      // of the layer that is looked at
    std::exception_ptr refusal_;  // why that layer cannot be computed
    Drawn drawn_;
    PutAside put_aside_;
    std::vector<Task> tasks_;
    std::size_t next_ = 0;
    bool left_ = false;     // this run has computed the layer that is looked at
    bool loading_ = false;  // the model is still to be read: the first task of this run
    bool loads_ = false;    // it was, or is
    Step at_ = Step::image;
};

}  // namespace headlight

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

// The model in the file cannot take the given tokens. It may accept a picture.
class TokensRefused : public RecipeError {
  public:
    using RecipeError::RecipeError;
};

// The recipe selects a layer that the model does not have.
class LayerRefused : public RecipeError {
  public:
    LayerRefused(const std::string& why, std::shared_ptr<const Model> of)
        : RecipeError(why), model(std::move(of)) {}
    std::shared_ptr<const Model> model;
};

// Lets several runners share models. A source returns a model that is already loaded for the
// recipe's file, or calls `read` with a file reader. Called during a run, on its thread; throws the
// exceptions of `read`, and Stopped.
using ModelRead = std::function<std::shared_ptr<const Model>(const FileReader&)>;
using ModelSource = std::function<std::shared_ptr<const Model>(const Recipe&, const ModelRead& read,
                                                               const StopFlag&)>;

// Called with each layer right after it is computed, in the order of the layers. `layer` holds its
// attention and whatever else is kept, and is only valid during the call.
using LayerObserver = std::function<void(const Trace& layer)>;

// The start of a run without a recipe. `front` is a trace that was computed up to its patches, or
// that holds the input of the first layer for all samples (Tensor::tokens, or Tensor::pre_norm if
// the model has that norm). `change` is applied to the run.
struct Beginning {
    Trace front;
    Counterfactual change{};
};

// Such a trace for the recipe's picture. `tools` needs read_file if the picture may be a file.
Trace front_of_picture(std::shared_ptr<const Model> model, const Recipe& recipe,
                       const Tools& tools);

// How much of each layer such a run computes.
enum class LayerDetail {
    full,  // everything, including products and scores; the trace keeps the last layer's
    lean,  // input, attention and output, only for the observer
};

// Computes one recipe after another. Each run only recomputes what differs from the last finished
// run. A run is a sequence of tasks, each one step or one whole layer, so that a caller without
// threads can draw in between.
class Runner {
  public:
    // Without `models`, the runner loads each file itself.
    explicit Runner(FileReader read_file, LayerObserver observer = {}, ModelSource models = {})
        : read_file_(std::move(read_file)),
          observer_(std::move(observer)),
          models_(std::move(models)) {}

    // Starts a run. An unfinished run is dropped; the results of the last finished run stay.
    void begin(const Recipe& recipe);

    // Computes the next task. Returns true while there is more to do. Throws Stopped, or a
    // std::runtime_error whose message says what is wrong: RecipeError, ImageError, PatchError,
    // AttentionError, CheckpointError, or an exception of the file reader. After an exception the
    // run is over, and the last finished trace stays.
    bool advance(const StopFlag& stop = {});

    // Runs all tasks.
    std::shared_ptr<const Trace> run(const Recipe& recipe, const StopFlag& stop = {});

    // Runs a whole model on all samples and returns the trace, including the steps after the last
    // layer. Throws as advance() does.
    static Trace run(Beginning beginning, LayerObserver observer = {}, const StopFlag& stop = {},
                     LayerDetail detail = LayerDetail::full);

    // After this run has computed the selected layer and before it is finished: a trace of the
    // results so far. It has the nodes after the layer, but not their results. Otherwise null; also
    // null if the layer's squares are too large to be stored.
    [[nodiscard]] std::shared_ptr<const Trace> layer_alone() const;

    [[nodiscard]] bool running() const { return draft_ != nullptr; }
    [[nodiscard]] float progress() const;  // fraction of this run's tasks that is done, 0..1
    // The step of the last task; after a failure, the step that failed. A model that cannot be
    // loaded fails at qkv, the first step with weights. A layer that does not exist fails at norm1.
    // A layer that cannot be computed as requested fails at heads if it is the selected one, and at
    // norm1 otherwise.
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

    // For bare layers, which the recipe defines if there is no file: bare_layer.cpp.
    struct ScoreToBeDrawn {
        Score score = Score::scaled_dot;
        Index heads = 0, keys = 0;  // 0 keys: no weights needed
        friend bool operator==(const ScoreToBeDrawn&, const ScoreToBeDrawn&) = default;
    };
    [[nodiscard]] std::shared_ptr<const Model> drawn_model() const;
    [[nodiscard]] ScoreToBeDrawn wanted_score() const;
    void check_bare_width() const;
    void check_alike() const;
    void check_width(Tensor tokens, int reads, const std::string& does) const;
    void draw(const StopFlag& stop);

    // The last drawn weights; kept separately because drafts may be dropped.
    struct Drawn {
        std::shared_ptr<const Model> model;
        std::uint64_t seed = 0;
        ScoreToBeDrawn score;
    };

    // A model that refused its tokens. It need not be loaded again if the next recipe has a
    // picture.
    struct PutAside {
        Recipe recipe;
        std::shared_ptr<const Model> model;
    };

    // The parameters of a run without a recipe.
    struct Given {
        Counterfactual change;
        LayerDetail detail = LayerDetail::full;
    };

    FileReader read_file_;
    LayerObserver observer_;
    ModelSource models_;
    Recipe recipe_, last_recipe_;
    std::optional<Given> given_;  // set for a run without a recipe
    std::shared_ptr<const Trace> last_;
    LayerStamps layers_made_, last_layers_made_;  // what each whole layer was computed from
    std::unique_ptr<Trace> draft_;
    Program program_;
    LayerSettings settings_;      // of the selected layer
    std::exception_ptr refusal_;  // why the selected layer cannot be computed
    Drawn drawn_;
    PutAside put_aside_;
    std::vector<Task> tasks_;
    std::size_t next_ = 0;
    bool left_ = false;     // this run has computed the selected layer
    bool loading_ = false;  // loading the model is the next task
    bool loads_ = false;    // this run loads or has loaded a model
    Step at_ = Step::image;
};

}  // namespace headlight

#pragma once

#include <optional>
#include <vector>

#include "analysis/rollout.h"
#include "program/program.h"
#include "trace/trace.h"

// What of a program must be computed, when some of its results are there.
namespace headlight {

// All nodes of a model with one layer looked at.
struct Program {
    int looked_at = 0;  // the layer of which `layer` are the nodes
    std::vector<Node> picture, tokens, layer, end;

    // Those that are walked through: not the tokens behind a token transformer of T2T.
    [[nodiscard]] std::vector<Node> walk(const Model& model) const;
};

// A piece of a run, after which it can be interrupted.
struct Task {
    enum class Kind {
        node,   // one of the program's, and those that one pass computes with it
        split,  // T2T: soft split `layer` of the tokens that came so far
        enter,  // the layer that is looked at begins
        leave,  // and has come to its end: the stream goes on
        layer,  // a whole layer that nobody looks at
    };
    Kind kind = Kind::node;
    const std::vector<Node>* nodes = nullptr;
    std::size_t at = 0;
    int layer = 0;
};

// What made a layer as a whole, beside the stream that it read.
struct LayerStamp {
    Counterfactual change;
    std::optional<RolloutSettings> rollout;
    std::uint64_t weights = 0, score_weights = 0;  // their versions; drawn layers get others

    friend bool operator==(const LayerStamp&, const LayerStamp&) = default;
};
using LayerStamps = std::vector<std::optional<LayerStamp>>;

// Of heads, those of other layers count only where a rollout goes through all layers in order.
LayerStamp stamp_of_layer(int b, const Model& model, Counterfactual change,
                          const std::optional<RolloutSettings>& rollout);

// The tasks that bring `trace`, with what is there of an earlier run, to what the program says. The
// nodes must live as long as the tasks.
std::vector<Task> tasks_of(const Program& program, const Trace& trace, const LayerStamps& made,
                           const LayerStamps& wanted);

}  // namespace headlight

#pragma once

#include <optional>
#include <vector>

#include "analysis/rollout.h"
#include "program/program.h"
#include "trace/trace.h"

// Which parts of a program must be computed, given the results of an earlier run.
namespace headlight {

// All nodes of a model, with one layer selected to be shown in full.
struct Program {
    int looked_at = 0;  // index of the selected layer; `layer` holds its nodes
    std::vector<Node> picture, tokens, layer, end;

    // The nodes of the walk. When a layer of T2T's token transformer is selected, the tokens after
    // it are left out.
    [[nodiscard]] std::vector<Node> walk(const Model& model) const;
};

// A unit of work; a run can be interrupted after each.
struct Task {
    enum class Kind {
        node,   // a node of the program, with those computed in the same pass
        split,  // T2T: soft split `layer` of the current tokens
        enter,  // start of the selected layer
        leave,  // end of the selected layer; passes on the residual stream
        layer,  // a whole layer that is not selected
    };
    Kind kind = Kind::node;
    const std::vector<Node>* nodes = nullptr;
    std::size_t at = 0;
    int layer = 0;
};

// What a whole layer was computed from, apart from the residual stream.
struct LayerStamp {
    Counterfactual change;
    std::optional<RolloutSettings> rollout;
    std::uint64_t weights = 0, score_weights = 0;  // versions; newly drawn layers get new ones

    friend bool operator==(const LayerStamp&, const LayerStamp&) = default;
};
using LayerStamps = std::vector<std::optional<LayerStamp>>;

// Switched-off heads of other layers only count if a rollout goes through all layers in order.
LayerStamp stamp_of_layer(int b, const Model& model, Counterfactual change,
                          const std::optional<RolloutSettings>& rollout);

// The tasks that complete `trace`, which holds results of an earlier run, for the program. The
// nodes must outlive the tasks.
std::vector<Task> tasks_of(const Program& program, const Trace& trace, const LayerStamps& made,
                           const LayerStamps& wanted);

}  // namespace headlight

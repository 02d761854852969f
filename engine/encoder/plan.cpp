#include "encoder/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "encoder/layers.h"
#include "ops/ops.h"

namespace headlight {

namespace {

// Goes through the program in the order of a run and notes what must be computed. A result is stale
// if its stamp differs, or if one of its inputs is stale.
class Planner {
  public:
    Planner(const Program& program, const Trace& trace, const LayerStamps& made,
            const LayerStamps& wanted)
        : program_(program), trace_(trace), model_(*trace.model), made_(made), wanted_(wanted) {}

    std::vector<Task> plan() {
        const int transformers = model_.token_transformers();
        add(program_.picture);
        stream_is_stale_ = is_stale(Tensor::patches);
        for (int b = 0; b < transformers; ++b) {
            add_layer(b);
            if (!stream_is_stale_) continue;
            tasks_.push_back({.kind = Task::Kind::split, .layer = b + 1});
            set_stale(Tensor::patches);
        }
        add(program_.tokens);
        if (!program_.tokens.empty())
            stream_is_stale_ =
                is_stale(program_.tokens.back().result()) || is_stale(Tensor::value_tokens);
        for (int b = transformers; b < static_cast<int>(model_.layers.size()); ++b) add_layer(b);
        if (stream_is_stale_) set_stale(Tensor::encoded);
        add(program_.end);
        return std::move(tasks_);
    }

  private:
    [[nodiscard]] bool is_stale(Tensor tensor) const {
        return stale_[static_cast<std::size_t>(tensor)];
    }
    void set_stale(Tensor tensor) { stale_[static_cast<std::size_t>(tensor)] = true; }

    [[nodiscard]] bool is_stale(const Node& node) const {
        const auto& made = trace_.made[static_cast<std::size_t>(node.id)];
        return !made || std::ranges::any_of(node.operands, [&](Tensor t) { return is_stale(t); }) ||
               *made != stamp_of(node, trace_);
    }

    // Returns true if any of the nodes must be computed.
    bool add(const std::vector<Node>& nodes) {
        const std::size_t before = tasks_.size();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!is_stale(nodes[i])) continue;
            for (const Tensor result : nodes[i].results) set_stale(result);
            tasks_.push_back({.nodes = &nodes, .at = i});
        }
        return tasks_.size() > before;
    }

    [[nodiscard]] bool is_stale(int b) const {
        const auto index = static_cast<std::size_t>(b);
        return stream_is_stale_ || index >= made_.size() || made_[index] != wanted_[index];
    }

    void add_layer(int b) {
        const bool stale = is_stale(b);
        if (b == program_.looked_at) return add_looked_at(b, stale);
        if (!stale) return;
        tasks_.push_back({.kind = Task::Kind::layer, .layer = b});
        stream_is_stale_ = true;
    }

    void add_looked_at(int b, bool stale) {
        const Layer& layer = model_.layers[static_cast<std::size_t>(b)];
        if (stream_is_stale_) set_stale(reads_stream(layer));
        const std::size_t before = tasks_.size();
        tasks_.push_back({.kind = Task::Kind::enter, .layer = program_.looked_at});
        const bool some = add(program_.layer);
        if (!some && !stale) tasks_.resize(before);
        if (!stale) return;
        tasks_.push_back({.kind = Task::Kind::leave, .layer = program_.looked_at});
        stream_is_stale_ = true;
    }

    const Program& program_;
    const Trace& trace_;
    const Model& model_;
    const LayerStamps& made_;
    const LayerStamps& wanted_;
    std::vector<Task> tasks_;
    std::array<bool, kTensorCount> stale_{};
    bool stream_is_stale_ = false;
};

}  // namespace

std::vector<Node> Program::walk(const Model& model) const {
    std::vector<Node> nodes = picture;
    const auto append = [&](const std::vector<Node>& more) {
        nodes.insert(nodes.end(), more.begin(), more.end());
    };
    if (looked_at >= model.token_transformers()) append(tokens);
    append(layer);
    append(end);
    return nodes;
}

LayerStamp stamp_of_layer(int b, const Model& model, Counterfactual change,
                          const std::optional<RolloutSettings>& rollout) {
    if (!rollout)
        std::erase_if(change.switched_off,
                      [&](const HeadPlace& place) { return place.layer != b; });
    const Layer& layer = model.layers[static_cast<std::size_t>(b)];
    const auto version = [](const SharedResult& weight) { return weight ? weight->version() : 0; };
    return {std::move(change), rollout, version(layer.qkv.weight), version(layer.score.weight)};
}

std::vector<Task> tasks_of(const Program& program, const Trace& trace, const LayerStamps& made,
                           const LayerStamps& wanted) {
    return Planner(program, trace, made, wanted).plan();
}

}  // namespace headlight

#include "encoder/runner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <utility>

#include "encoder/bare_layer.h"
#include "encoder/blocks.h"
#include "families/load.h"
#include "ops/limits.h"
#include "ops/ops.h"
#include "ops/picture.h"
#include "ops/scores.h"

namespace headlight {

namespace {

// Results that no node of the walk writes any more are those of another model, or of another layer.
void forget_others(Trace& trace, const Program& program) {
    std::array<bool, kTensorCount> written{};
    const auto write = [&](Tensor tensor) { written[static_cast<std::size_t>(tensor)] = true; };
    std::array<bool, kStepCount> there{};
    for (const auto* nodes : {&program.picture, &program.tokens, &program.layer, &program.end})
        for (const Node& node : *nodes) {
            there[static_cast<std::size_t>(node.id)] = true;
            for (const Tensor tensor : node.operands) write(tensor);
            for (const Tensor tensor : node.results) write(tensor);
            for (const NodeWeight& weight : node.weights) write(weight.name);
        }
    for (const Tensor tensor : {Tensor::input, Tensor::encoded, Tensor::split_input}) write(tensor);
    for (std::size_t t = 0; t < written.size(); ++t)
        if (!written[t]) trace.slots[t] = {};
    for (std::size_t s = 0; s < there.size(); ++s)
        if (!there[s]) trace.made[s].reset();
}

}  // namespace

// ---- a run, task by task

void Runner::begin(const Recipe& recipe) {
    recipe_ = recipe;
    draft_ = last_ ? std::make_unique<Trace>(*last_) : std::make_unique<Trace>();
    draft_->recomputed.fill(false);
    blocks_made_ = last_blocks_made_;
    tasks_.clear();
    next_ = 0;
    left_ = false;
    at_ = Step::qkv;  // while weights are read
    loads_ = loading_ = needs_other_model();
    if (!loading_) plan();
}

bool Runner::advance(const StopFlag& stop) {
    if (!draft_) return false;
    try {
        throw_if_stopped(stop);
        if (loading_) {
            at_ = Step::qkv;  // the first step that weights belong to
            load(stop);
            at_ = Step::image;
            plan();
            loading_ = false;
        } else if (next_ < tasks_.size()) {
            compute(tasks_[next_], stop);
            ++next_;
            if (next_ == tasks_.size()) complete_attention(stop);
        }
    } catch (...) {
        draft_.reset();
        throw;
    }
    if (next_ < tasks_.size()) return true;
    // T2T: the tokens of later layers were laid out otherwise.
    if (!tasks_.empty() && !draft_->splits.empty()) place_block(*draft_, draft_->block);
    last_ = std::move(draft_);
    last_recipe_ = recipe_;
    last_blocks_made_ = blocks_made_;
    return false;
}

std::shared_ptr<const Trace> Runner::run(const Recipe& recipe, const StopFlag& stop) {
    begin(recipe);
    while (advance(stop)) {
    }
    return last_;
}

std::shared_ptr<const Trace> Runner::layer_alone() const {
    if (!draft_ || !left_ || !draft_->keeps_squares) return nullptr;
    auto alone = std::make_shared<Trace>(*draft_);
    for (const Node& node : program_.end) {
        for (const Tensor tensor : node.results) alone->set(tensor, nullptr);
        alone->made[static_cast<std::size_t>(node.id)].reset();
    }
    const auto next = static_cast<std::size_t>(program_.block) + 1;
    if (next < alone->model->blocks.size()) alone->set(Tensor::encoded, nullptr);
    alone->stream.resize(next + 1);
    if (!alone->splits.empty()) place_block(*alone, alone->block);
    return alone;
}

float Runner::progress() const {
    if (loading_) return 0.0F;
    const std::size_t all = tasks_.size() + (loads_ ? 1 : 0), done = next_ + (loads_ ? 1 : 0);
    return all == 0 ? 1.0F : static_cast<float>(done) / static_cast<float>(all);
}

// ---- what is to be done

bool Runner::needs_other_model() const {
    if (!last_) return true;
    return last_recipe_.weights != recipe_.weights || last_recipe_.reading != recipe_.reading ||
           !(last_recipe_.model == recipe_.model);
}

void Runner::load(const StopFlag& stop) {
    auto model = recipe_.weights.empty()
                     ? layer_to_be_drawn()
                     : load_model(recipe_.weights, read_file_, recipe_.model, {}, stop);
    Trace fresh;
    if (last_) {  // the picture may be the same
        fresh.source = last_->source;
        fresh.source_file = last_->source_file;
    }
    fresh.model = std::move(model);
    *draft_ = std::move(fresh);
    blocks_made_.clear();
}

void Runner::plan() {
    const Model& model = *draft_->model;
    const int count = static_cast<int>(model.blocks.size());
    if (recipe_.layer < 0 || recipe_.layer >= count) {
        at_ = Step::norm1;
        throw RecipeError("Layer " + std::to_string(recipe_.layer + 1) + ": this model has " +
                          std::to_string(count) + (count == 1 ? " layer." : " layers."));
    }
    program_.block = recipe_.layer;
    program_.picture = picture_nodes(model, recipe_.layer, recipe_);
    program_.tokens = token_nodes(model, recipe_.position);
    program_.end = end_nodes(model);
    plan_layer();

    // As they are when the walk has gone through all token transformers.
    if (!draft_->splits.empty()) draft_->set(Tensor::patches, draft_->splits.back());
    const auto index = static_cast<std::size_t>(recipe_.layer);
    if (index < draft_->stream.size()) draft_->set(Tensor::input, draft_->stream[index]);
    BlockStamps wanted;
    for (int b = 0; b < count; ++b)
        wanted.push_back(stamp_of_block(b, counterfactual(), recipe_.rollout));
    tasks_ = tasks_of(program_, *draft_, blocks_made_, wanted);
    if (refusal_ && std::ranges::find(tasks_, Task::Kind::enter, &Task::kind) == tasks_.end())
        tasks_.push_back({.kind = Task::Kind::enter, .block = program_.block});
    forget_others(*draft_, program_);
    draft_->nodes = program_.walk(model);
    draft_->config = settings_.attention;
    if (tasks_.empty() && !draft_->splits.empty()) place_block(*draft_, draft_->block);
}

// A layer that cannot be computed is refused when the run has come to it: a picture that cannot be
// read is said first.
void Runner::plan_layer() {
    const Model& model = *draft_->model;
    refusal_ = nullptr;
    program_.layer.clear();
    try {
        settings_ = model.is_bare_layer() ? bare_settings()
                                          : settings_of(model, recipe_.layer, counterfactual());
        if (!model.is_maps()) validate(settings_.attention);
        Block block = model.blocks[static_cast<std::size_t>(recipe_.layer)];
        if (draws_weights()) block.qkv = block.projection = {};
        program_.layer =
            model.is_maps() ? map_nodes(model, recipe_.layer) : layer_nodes(block, settings_);
    } catch (...) {
        refusal_ = std::current_exception();
        settings_ = {};
    }
}

Counterfactual Runner::counterfactual() const {
    return {recipe_.scale, recipe_.temperature, recipe_.switched_off, recipe_.mask};
}

// ---- doing it

void Runner::compute(const Task& task, const StopFlag& stop) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    if (next_ == 0) draft_->encoder_milliseconds = 0;
    switch (task.kind) {
        case Task::Kind::split:
            at_ = Step::patches;
            return compute_split(*draft_, task.block);
        case Task::Kind::enter:
            return enter(stop);
        case Task::Kind::leave:
            return leave();
        case Task::Kind::block:
            compute_block(task.block, stop);
            draft_->encoder_milliseconds += spent();
            return;
        case Task::Kind::node:
            break;
    }
    compute_nodes(*task.nodes, task.at, stop);
    const Node& node = (*task.nodes)[task.at];
    draft_->milliseconds[static_cast<std::size_t>(node.id)] = spent();
    if (node.place == Place::layer) draft_->encoder_milliseconds += spent();
}

// Those that an earlier task's pass has computed are done.
void Runner::compute_nodes(const std::vector<Node>& nodes, std::size_t at, const StopFlag& stop) {
    const auto index = [&](std::size_t i) { return static_cast<std::size_t>(nodes[i].id); };
    at_ = nodes[at].id;
    if (draft_->recomputed[index(at)]) return;
    // The pass begins with the scale, even where only what follows it is new.
    while (at > 0 && (nodes[at].op == Op::mask || nodes[at].op == Op::softmax)) --at;
    const std::size_t done = headlight::compute(nodes, at, *draft_, {&read_file_, stop});
    for (std::size_t i = at; i < at + done; ++i) draft_->recomputed[index(i)] = true;
}

void Runner::compute_block(int block, const StopFlag& stop) {
    at_ = Step::norm1;
    if (refusal_) std::rethrow_exception(refusal_);
    begin_block(*draft_, block);
    const Trace done = run_block(*draft_, block, counterfactual(), stop);
    end_block(*draft_, block, done.result(Tensor::output));
    note_made(block);
    if (observer_) observer_(done);
}

void Runner::note_made(int block) {
    const auto index = static_cast<std::size_t>(block);
    blocks_made_.resize(std::max(blocks_made_.size(), index + 1));
    blocks_made_[index] = stamp_of_block(block, counterfactual(), recipe_.rollout);
}

void Runner::enter(const StopFlag& stop) {
    at_ = Step::heads;
    if (refusal_) std::rethrow_exception(refusal_);
    Trace& trace = *draft_;
    if (trace.model->is_bare_layer()) {
        at_ = Step::qkv;
        check_bare_width();
        if (draws_weights()) draw_weights_of_layer(stop);
    }
    begin_block(trace, program_.block);
    const auto is_of_layer = [&](std::size_t i) {
        return i < tasks_.size() && tasks_[i].nodes == &program_.layer;
    };
    const std::size_t first = next_ + 1;
    for (std::size_t i = first; is_of_layer(i); ++i)
        forget_results(trace, program_.layer[tasks_[i].at]);
    enter_block(trace, program_.block, settings_);
    // The tokens that are there did fit, with fewer heads.
    const bool more_heads = is_of_layer(first) && program_.layer[tasks_[first].at].op == Op::cut;
    if (more_heads) at_ = Step::heads;
    refuse_beyond_memory(trace_bytes(trace.shape, trace.config.dim, trace.keeps_squares),
                         "This layer", more_heads ? "fewer heads or fewer tokens" : kFewerTokens);
}

// The layer that is looked at has come to its end: the stream goes on, and the observer hears of
// it.
void Runner::leave() {
    Trace& trace = *draft_;
    end_block(trace, trace.block, trace.result(Tensor::output));
    note_made(trace.block);
    left_ = true;
    if (observer_) observer_(trace);
    // Where the squares of a layer are too large to be kept, two layers' attention beside that of
    // the trace that is still shown is too much as well: this layer's is computed again in the end.
    // That costs a part of one layer, the only one that is computed twice.
    const auto rest = tasks_.begin() + static_cast<std::ptrdiff_t>(next_);
    const bool later =
        std::any_of(rest, tasks_.end(), [](const Task& t) { return t.kind == Task::Kind::block; });
    if (!trace.keeps_squares && later) trace.set(Tensor::attention, nullptr);
}

void Runner::complete_attention(const StopFlag& stop) {
    if (draft_->keeps_squares || draft_->has(Tensor::attention)) return;
    const auto scale = std::ranges::find(program_.layer, Op::scale, &Node::op);
    const auto at = static_cast<std::size_t>(scale - program_.layer.begin());
    headlight::compute(program_.layer, at, *draft_, {&read_file_, stop});
}

}  // namespace headlight

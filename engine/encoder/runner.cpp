#include "encoder/runner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "encoder/bare_layer.h"
#include "encoder/layers.h"
#include "families/load.h"
#include "kernels/recycle.h"
#include "model/stages.h"
#include "ops/limits.h"
#include "ops/ops.h"
#include "ops/picture.h"
#include "ops/scores.h"
#include "program/ordinals.h"

namespace headlight {

namespace {

// Removes results that no node of the walk computes; they belong to another model or layer.
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

bool same_model(const Recipe& a, const Recipe& b) {
    return a.weights == b.weights && a.reading == b.reading && a.model == b.model;
}

}  // namespace

Trace front_of_picture(std::shared_ptr<const Model> model, const Recipe& recipe,
                       const Tools& tools) {
    Trace front;
    front.model = std::move(model);
    front.nodes = picture_nodes(*front.model, 0, recipe);
    compute_all(front.nodes, front, tools);
    return front;
}

// ---- a run, task by task

void Runner::begin(const Recipe& recipe) {
    recipe_ = recipe;
    draft_ = last_ ? std::make_unique<Trace>(*last_) : std::make_unique<Trace>();
    draft_->recomputed.fill(false);
    layers_made_ = last_layers_made_;
    tasks_.clear();
    next_ = 0;
    left_ = false;
    at_ = Step::qkv;  // while the model is loading
    loads_ = loading_ = needs_other_model();
    if (!loading_) plan();
}

bool Runner::advance(const StopFlag& stop) {
    if (!draft_) return false;
    try {
        throw_if_stopped(stop);
        if (loading_) {
            at_ = Step::qkv;  // the first step with weights
            load(stop);
            at_ = Step::image;
            plan();
            loading_ = false;
        } else if (next_ < tasks_.size()) {
            compute(tasks_[next_], stop);
            ++next_;
            if (next_ == tasks_.size()) complete_attention(stop);
        }
    } catch (const TokensRefused&) {
        put_aside_ = {recipe_, draft_->model};
        draft_.reset();
        throw;
    } catch (...) {
        draft_.reset();
        throw;
    }
    if (next_ < tasks_.size()) return true;
    // T2T: later layers had another grid and layout; restore those of the stored layer.
    if (!tasks_.empty() && !draft_->splits.empty()) place_layer(*draft_, draft_->layer);
    last_ = std::move(draft_);
    last_recipe_ = recipe_;
    last_layers_made_ = layers_made_;
    return false;
}

std::shared_ptr<const Trace> Runner::run(const Recipe& recipe, const StopFlag& stop) {
    const KeepForNext memory;
    begin(recipe);
    while (advance(stop)) {
    }
    return last_;
}

Trace Runner::run(Beginning beginning, LayerObserver observer, const StopFlag& stop,
                  LayerDetail detail) {
    const KeepForNext memory;
    Runner runner({}, std::move(observer));
    runner.given_ = {std::move(beginning.change), detail};
    runner.draft_ = std::make_unique<Trace>(std::move(beginning.front));
    Trace& trace = *runner.draft_;
    trace.recomputed.fill(false);
    runner.plan_given();
    for (; runner.next_ < runner.tasks_.size(); ++runner.next_) {
        throw_if_stopped(stop);
        runner.compute(runner.tasks_[runner.next_], stop);
    }
    if (detail == LayerDetail::full) {
        const std::vector<Node>& end = runner.program_.end;
        trace.nodes.insert(trace.nodes.end(), end.begin(), end.end());
    } else {
        const int last = static_cast<int>(trace.model->layers.size()) - 1;
        trace.grid = grid_of_layer(*trace.model, trace.grid, last);
        trace.layout = layout_of(*trace.model, last, trace.grid);
    }
    return std::move(trace);
}

std::shared_ptr<const Trace> Runner::layer_alone() const {
    if (!draft_ || !left_ || !draft_->keeps_squares) return nullptr;
    auto alone = std::make_shared<Trace>(*draft_);
    for (const Node& node : program_.end) {
        for (const Tensor tensor : node.results) alone->set(tensor, nullptr);
        alone->made[static_cast<std::size_t>(node.id)].reset();
    }
    const auto next = static_cast<std::size_t>(program_.looked_at) + 1;
    if (next < alone->model->layers.size()) alone->set(Tensor::encoded, nullptr);
    alone->stream.resize(next + 1);
    if (!alone->splits.empty()) place_layer(*alone, alone->layer);
    return alone;
}

float Runner::progress() const {
    if (loading_) return 0.0F;
    const std::size_t all = tasks_.size() + (loads_ ? 1 : 0), done = next_ + (loads_ ? 1 : 0);
    return all == 0 ? 1.0F : static_cast<float>(done) / static_cast<float>(all);
}

// ---- planning

bool Runner::needs_other_model() const { return !last_ || !same_model(last_recipe_, recipe_); }

std::shared_ptr<const Model> Runner::read_model(const StopFlag& stop) const {
    if (recipe_.weights.empty()) return layers_to_be_drawn(recipe_);
    if (put_aside_.model && same_model(put_aside_.recipe, recipe_)) return put_aside_.model;
    const ModelRead read = [&](const FileReader& files) {
        return load_model(recipe_.weights, files, recipe_.model, {}, stop);
    };
    return models_ ? models_(recipe_, read, stop) : read(read_file_);
}

void Runner::load(const StopFlag& stop) {
    auto model = read_model(stop);
    put_aside_ = {};
    Trace fresh;
    if (last_) {  // the picture may be the same
        fresh.source = last_->source;
        fresh.source_file = last_->source_file;
    }
    fresh.model = std::move(model);
    *draft_ = std::move(fresh);
    layers_made_.clear();
}

void Runner::plan() {
    if (recipe_.weights.empty()) draft_->model = drawn_model();
    const Model& model = *draft_->model;
    const int count = static_cast<int>(model.layers.size());
    if (recipe_.layer < 0 || recipe_.layer >= count) {
        at_ = Step::norm1;
        const int first = model.token_transformers(), counted = count - first;
        throw LayerRefused("Layer " + layer_number(model, recipe_.layer) + ": this model has " +
                               std::to_string(counted) + (counted == 1 ? " layer." : " layers."),
                           draft_->model);
    }
    program_.looked_at = recipe_.layer;
    if (recipe_.rollout && model.has_merges()) {
        at_ = Step::norm1;
        throw RecipeError(
            "Rollout multiplies the attention of all layers, so all of them need the same tokens. "
            "This model has " +
            stages_text(model) + ". Switch rollout off.");
    }
    plan_front();
    program_.end = end_nodes(model);
    plan_layer();

    // The state after all token transformers.
    if (!draft_->splits.empty()) draft_->set(Tensor::patches, draft_->splits.back());
    const auto index = static_cast<std::size_t>(recipe_.layer);
    if (index < draft_->stream.size())
        draft_->set(reads_stream(model.layers[index]), draft_->stream[index]);
    LayerStamps stamps;
    for (int b = 0; b < count; ++b) stamps.push_back(wanted(b));
    tasks_ = tasks_of(program_, *draft_, layers_made_, stamps);
    if (refusal_ && std::ranges::find(tasks_, Task::Kind::enter, &Task::kind) == tasks_.end())
        tasks_.push_back({.kind = Task::Kind::enter, .layer = program_.looked_at});
    forget_others(*draft_, program_);
    draft_->nodes = program_.walk(model);
    draft_->config = settings_.attention;
    if (tasks_.empty() && !draft_->splits.empty()) place_layer(*draft_, draft_->layer);
}

// Given tokens enter a layer directly; a whole model starts with a picture.
void Runner::plan_front() {
    const Model& model = *draft_->model;
    const bool given = gives_tokens(recipe_.tokens);
    if (given && !model.is_bare_layer()) {
        at_ = Step::qkv;
        throw TokensRefused(model.file +
                            ": expected a single attention layer for these tokens, found a model "
                            "that takes pictures. Open a picture first.");
    }
    const bool learned_queries = recipe_.queries && model.is_bare_layer();
    if (given && learned_queries) {
        at_ = Step::queries;
        throw RecipeError(
            "Learned queries attend to the patches of a picture, but these tokens come from "
            "elsewhere. Open a picture first.");
    }
    program_.picture.clear();
    if (!given) program_.picture = picture_nodes(model, recipe_.layer, recipe_);
    if (given) at_ = Step::position;  // the tokens may be refused at this step
    program_.tokens = given ? given_nodes(model, recipe_)
                            : token_nodes(model, recipe_.position,
                                          learned_queries ? Tensor::value_tokens : Tensor::tokens);
    if (learned_queries) program_.tokens.push_back(query_node(model, recipe_));
}

// If the layer cannot be computed, the error is thrown only when the run reaches it. So a picture
// that cannot be read is reported first.
void Runner::plan_layer() {
    const Model& model = *draft_->model;
    refusal_ = nullptr;
    program_.layer.clear();
    try {
        settings_ = settings_of(model, recipe_.layer, counterfactual());
        if (!model.is_maps()) validate(settings_.attention);
        program_.layer = nodes_of_layer(model, recipe_.layer, settings_);
    } catch (...) {
        refusal_ = std::current_exception();
        settings_ = {};
    }
}

// Plans everything, because there are no results yet. Given tokens are the input of the first layer
// after the token transformers.
void Runner::plan_given() {
    const Trace& trace = *draft_;
    const Model& model = *trace.model;
    const auto add = [&](const std::vector<Node>& nodes) {
        for (std::size_t i = 0; i < nodes.size(); ++i) tasks_.push_back({.nodes = &nodes, .at = i});
    };
    const int first = model.token_transformers();
    if (!trace.has(Tensor::tokens) && !trace.has(Tensor::pre_norm)) {
        for (int b = 0; b < first; ++b) {
            tasks_.push_back({.kind = Task::Kind::layer, .layer = b});
            tasks_.push_back({.kind = Task::Kind::split, .layer = b + 1});
        }
        program_.tokens = token_nodes(model, given_->change.position);
        add(program_.tokens);
    }
    for (int b = first; b < static_cast<int>(model.layers.size()); ++b)
        tasks_.push_back({.kind = Task::Kind::layer, .layer = b});
    program_.end = end_nodes(model);
    add(program_.end);
}

Counterfactual Runner::counterfactual() const { return counterfactual_of(recipe_, *draft_->model); }

LayerStamp Runner::wanted(int layer) const {
    return stamp_of_layer(layer, *draft_->model, counterfactual(), recipe_.rollout);
}

// ---- computing

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
            return compute_split(*draft_, task.layer);
        case Task::Kind::enter:
            return enter(stop);
        case Task::Kind::leave:
            return leave();
        case Task::Kind::layer:
            if (given_)
                compute_given_layer(task.layer, stop);
            else
                compute_other_layer(task.layer, stop);
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

// Skips nodes that the pass of an earlier task has computed.
void Runner::compute_nodes(const std::vector<Node>& nodes, std::size_t at, const StopFlag& stop) {
    const auto index = [&](std::size_t i) { return static_cast<std::size_t>(nodes[i].id); };
    at_ = nodes[at].id;
    if (draft_->recomputed[index(at)]) return;
    // The pass starts at the scale, even if only a later step of it is stale.
    while (at > 0 && nodes[at].place == Place::layer && follows_scale(nodes[at].op)) --at;
    const std::size_t done = headlight::compute(nodes, at, *draft_, {&read_file_, stop});
    for (std::size_t i = at; i < at + done; ++i) draft_->recomputed[index(i)] = true;
}

void Runner::compute_other_layer(int layer, const StopFlag& stop) {
    at_ = Step::norm1;
    if (refusal_) std::rethrow_exception(refusal_);
    begin_layers(stop);
    begin_layer(*draft_, layer);
    const Trace done = compute_layer(*draft_, layer, counterfactual(), stop);
    end_layer(*draft_, layer, done.result(Tensor::output));
    note_made(layer);
    if (observer_) observer_(done);
}

void Runner::compute_given_layer(int b, const StopFlag& stop) {
    at_ = Step::norm1;
    Trace& trace = *draft_;
    begin_layer(trace, b);
    if (given_->detail == LayerDetail::lean) {
        const Trace done = compute_layer(trace, b, given_->change, stop);
        if (observer_) observer_(done);
        trace.shape = done.shape;  // needed by attention pooling at the model's end
        return end_layer(trace, b, done.result(Tensor::output));
    }
    settings_ = settings_of(*trace.model, b, given_->change);
    if (!trace.model->is_decoder()) settings_.cross = trace.has(Tensor::value_tokens);
    if (settings_.cross && given_->change.variant.projections == Projections::none) check_alike();
    trace.nodes = nodes_of_layer(*trace.model, b, settings_);
    for (const Node& node : trace.nodes) forget_results(trace, node);
    enter_layer(trace, b, settings_);
    trace.keeps_squares = true;
    refuse_beyond_memory(trace_bytes(trace.shape, trace.config.dim), "This layer", kFewerTokens);
    compute_all(trace.nodes, trace, {nullptr, stop});
    end_layer(trace, b, trace.result(Tensor::output));
    if (observer_) observer_(trace);
}

void Runner::note_made(int layer) {
    const auto index = static_cast<std::size_t>(layer);
    layers_made_.resize(std::max(layers_made_.size(), index + 1));
    layers_made_[index] = wanted(layer);
}

// Called before the first layer is computed.
void Runner::begin_layers(const StopFlag& stop) {
    if (!draft_->model->is_bare_layer()) return;
    at_ = Step::qkv;
    check_bare_width();
    draw(stop);
}

void Runner::enter(const StopFlag& stop) {
    at_ = Step::heads;
    if (refusal_) std::rethrow_exception(refusal_);
    Trace& trace = *draft_;
    begin_layers(stop);
    begin_layer(trace, program_.looked_at);
    const auto is_of_layer = [&](std::size_t i) {
        return i < tasks_.size() && tasks_[i].nodes == &program_.layer;
    };
    const std::size_t first = next_ + 1;
    for (std::size_t i = first; is_of_layer(i); ++i)
        forget_results(trace, program_.layer[tasks_[i].at]);
    enter_layer(trace, program_.looked_at, settings_);
    // The current tokens did fit in memory, with fewer heads.
    const bool more_heads = is_of_layer(first) && program_.layer[tasks_[first].at].op == Op::cut;
    if (more_heads) at_ = Step::heads;
    refuse_beyond_memory(trace_bytes(trace.shape, trace.config.dim, trace.keeps_squares),
                         "This layer", more_heads ? "fewer heads or fewer tokens" : kFewerTokens);
}

// Ends the selected layer: passes on the residual stream and calls the observer.
void Runner::leave() {
    Trace& trace = *draft_;
    end_layer(trace, trace.layer, trace.result(Tensor::output));
    note_made(trace.layer);
    left_ = true;
    if (observer_) observer_(trace);
    // If a layer's squares are too large to be stored, then so are the attention of two layers plus
    // that of the trace on screen. So this layer's attention is dropped and recomputed at the end.
    // That costs part of one layer, the only one computed twice.
    const auto rest = tasks_.begin() + static_cast<std::ptrdiff_t>(next_);
    const bool later =
        std::any_of(rest, tasks_.end(), [](const Task& t) { return t.kind == Task::Kind::layer; });
    if (!trace.keeps_squares && later) trace.set(Tensor::attention, nullptr);
}

void Runner::complete_attention(const StopFlag& stop) {
    if (draft_->keeps_squares || draft_->has(Tensor::attention)) return;
    const auto scale = std::ranges::find(program_.layer, Op::scale, &Node::op);
    const auto at = static_cast<std::size_t>(scale - program_.layer.begin());
    headlight::compute(program_.layer, at, *draft_, {&read_file_, stop});
}

}  // namespace headlight

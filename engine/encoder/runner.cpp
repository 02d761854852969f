#include "encoder/runner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "checkpoint/load.h"
#include "encoder/layer_steps.h"
#include "encoder/model_steps.h"
#include "encoder/picture_steps.h"

namespace headlight {

namespace {

// A layer whose weights are drawn as soon as the width of its tokens is known.
std::shared_ptr<const Model> layer_to_be_drawn() {
    auto model = std::make_shared<Model>();
    model->family = "drawn";
    model->title = "One attention layer, drawn from a seed";
    model->preprocessing = bare_preprocessing();
    model->patch_size = PatchSettings{}.size;
    model->blocks.resize(1);
    model->blocks.front().attention.heads = kUsualHeads;
    return model;
}

bool same_file(const Recipe& a, const Recipe& b) {
    return a.image == b.image && !a.scene && !b.scene;
}

}  // namespace

// ---- a run, slice by slice

void Runner::begin(const Recipe& recipe) {
    recipe_ = recipe;
    draft_ = last_ ? std::make_unique<Trace>(*last_) : std::make_unique<Trace>();
    draft_->recomputed.fill(false);
    slices_.clear();
    next_ = 0;
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
        } else if (next_ < slices_.size()) {
            compute(slices_[next_], stop);
            ++next_;
            if (next_ == slices_.size()) complete_attention(stop);
        }
    } catch (...) {
        draft_.reset();
        throw;
    }
    if (next_ < slices_.size()) return true;
    last_ = std::move(draft_);
    last_recipe_ = recipe_;
    return false;
}

std::shared_ptr<const Trace> Runner::run(const Recipe& recipe, const StopFlag& stop) {
    begin(recipe);
    while (advance(stop)) {
    }
    return last_;
}

float Runner::progress() const {
    if (loading_) return 0.0F;
    const std::size_t all = slices_.size() + (loads_ ? 1 : 0), done = next_ + (loads_ ? 1 : 0);
    return all == 0 ? 1.0F : static_cast<float>(done) / static_cast<float>(all);
}

// ---- what is to be done

bool Runner::needs_other_model() const {
    if (!last_) return true;
    return last_recipe_.weights != recipe_.weights || last_recipe_.reading != recipe_.reading ||
           !(last_recipe_.model == recipe_.model);
}

bool Runner::only_looks_elsewhere() const { return last_ && same_but_layer(last_recipe_, recipe_); }

void Runner::load(const StopFlag& stop) {
    auto model = recipe_.weights.empty()
                     ? layer_to_be_drawn()
                     : load_model(recipe_.weights, read_file_, recipe_.model, {}, stop);
    Trace fresh;
    if (last_ && same_file(last_recipe_, recipe_)) fresh.source = last_->source;
    fresh.model = std::move(model);
    *draft_ = std::move(fresh);
}

void Runner::plan() {
    const Model& model = *draft_->model;
    const int count = static_cast<int>(model.blocks.size());
    if (recipe_.layer < 0 || recipe_.layer >= count) {
        at_ = Step::norm1;
        throw RecipeError("Layer " + std::to_string(recipe_.layer + 1) + ": this model has " +
                          std::to_string(count) + (count == 1 ? " layer." : " layers."));
    }
    draft_->steps = steps_of(model, recipe_.layer);
    slices_ = program(model, recipe_.layer);
    if (loading_ || !last_) return;

    const auto first = first_changed_step(last_recipe_, recipe_);
    if (!first) return slices_.clear();
    const bool bare = model.is_bare_layer();
    const auto is_of_layer = [](const Slice& s) {
        return s.kind == Slice::Kind::enter ||
               (s.kind == Slice::Kind::step && place_of(s.step) == StepPlace::layer);
    };
    if (only_looks_elsewhere()) {
        std::erase_if(slices_, [&](const Slice& s) { return !is_of_layer(s); });
        return;
    }
    const bool in_layers = !bare && place_of(*first) != StepPlace::front;
    const auto begins = [&](const Slice& s) {
        switch (s.kind) {
            case Slice::Kind::step:
                return !in_layers && s.step >= *first;
            case Slice::Kind::enter:
                return in_layers || (bare && *first <= Step::qkv);
            case Slice::Kind::block:
                return in_layers;
            case Slice::Kind::split:
                return false;
        }
        return false;
    };
    slices_.erase(slices_.begin(), std::find_if(slices_.begin(), slices_.end(), begins));
}

// ---- doing it

void Runner::compute(const Slice& slice, const StopFlag& stop) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    if (next_ == 0) draft_->encoder_milliseconds = 0;
    at_ = slice.step;
    switch (slice.kind) {
        case Slice::Kind::split:
            return compute_split(*draft_, slice.block);
        case Slice::Kind::enter:
            return enter(slice.block, stop);
        case Slice::Kind::block:
            compute_block(slice.block, stop);
            draft_->encoder_milliseconds += spent();
            return;
        case Slice::Kind::step:
            break;
    }
    compute_step(slice.step, stop);
    const auto step = static_cast<std::size_t>(slice.step);
    draft_->milliseconds[step] = spent();
    draft_->recomputed[step] = true;
    if (place_of(slice.step) != StepPlace::layer) return;
    draft_->encoder_milliseconds += spent();
    const auto after = next_ + 1;
    const bool last = after == slices_.size() || slices_[after].kind != Slice::Kind::step ||
                      place_of(slices_[after].step) != StepPlace::layer;
    if (last) finish_block();
}

void Runner::compute_step(Step step, const StopFlag& stop) {
    Trace& trace = *draft_;
    switch (step) {
        case Step::image:
            return frame_picture(trace, recipe_, read_file_,
                                 !last_ || !same_file(last_recipe_, recipe_));
        case Step::patches:
            return cut_patches(trace, recipe_);
        default:
            break;
    }
    if (place_of(step) == StepPlace::front)
        return compute_front_step(trace, step, recipe_.position);
    if (place_of(step) == StepPlace::end) return compute_end_step(trace, step);
    if (trace.model->is_maps()) return;  // nothing but the maps
    // A bare layer's own parameters may have changed without its weights.
    if (trace.model->is_bare_layer()) {
        trace.config = bare_config();
        trace.switched_off = heads_off(recipe_.switched_off, 0, trace.config.heads);
    }
    compute_layer_step(trace, looked_at(), step, stop);
}

Counterfactual Runner::counterfactual() const {
    return {recipe_.scale, recipe_.temperature, recipe_.switched_off};
}

const Block& Runner::looked_at() const {
    return draft_->model->blocks[static_cast<std::size_t>(draft_->block)];
}

void Runner::compute_block(int block, const StopFlag& stop) {
    begin_block(*draft_, block);
    const Trace done = run_block(*draft_, block, counterfactual(), stop);
    end_block(*draft_, block, done.result(Tensor::output));
    if (observer_) observer_(done);
}

void Runner::enter(int block, const StopFlag& stop) {
    if (draft_->model->is_bare_layer()) return enter_bare_layer(stop);
    // Another layer of an old run reads what was there; in a new one it continues the stream.
    if (!only_looks_elsewhere()) begin_block(*draft_, block);
    look_at(*draft_, block, counterfactual());
    refuse_beyond_memory(trace_bytes(draft_->shape, draft_->config.dim, draft_->keeps_squares),
                         "This layer", kFewerTokens);
}

// The layer that is looked at has come to its end: the stream goes on, and the observer hears of
// it.
void Runner::finish_block() {
    Trace& trace = *draft_;
    if (only_looks_elsewhere() && !trace.model->is_bare_layer()) return;
    end_block(trace, trace.block, trace.result(Tensor::output));
    if (observer_) observer_(trace);
    make_room_for_later_blocks();
}

// Where the squares of a layer are too large to be kept, two layers' attention beside that of the
// trace that is still shown is too much as well: this layer's is computed again in the end. That
// costs a part of one layer, the only one that is computed twice.
void Runner::make_room_for_later_blocks() {
    const auto rest = slices_.begin() + static_cast<std::ptrdiff_t>(next_);
    const bool later = std::any_of(rest, slices_.end(),
                                   [](const Slice& s) { return s.kind == Slice::Kind::block; });
    if (!draft_->keeps_squares && later) draft_->set(Tensor::attention, nullptr);
}

void Runner::complete_attention(const StopFlag& stop) {
    if (draft_->keeps_squares || draft_->has(Tensor::attention)) return;
    compute_layer_step(*draft_, looked_at(), Step::scale, stop);
}

// ---- a bare layer, whose configuration the recipe decides

AttentionConfig Runner::bare_config() const {
    AttentionConfig config = draft_->model->blocks.front().attention;
    config.dim = static_cast<int>(draft_->all(Tensor::tokens).cols);
    config.heads = recipe_.heads.value_or(config.heads);
    config.skip = recipe_.skip.value_or(config.skip);
    if (recipe_.scale) config.scale = recipe_.scale;
    config.temperature = recipe_.temperature;
    if (!recipe_.weights.empty()) return config;
    config.channels = recipe_.channels;
    config.qkv_bias = recipe_.qkv_bias;
    return config;
}

void Runner::enter_bare_layer(const StopFlag& stop) {
    Trace& trace = *draft_;
    const AttentionConfig config = bare_config();
    const AttentionConfig& present = trace.model->blocks.front().attention;
    if (!recipe_.weights.empty()) {
        if (present.dim != config.dim)
            throw RecipeError(
                recipe_.weights + ": its layer reads tokens of " + std::to_string(present.dim) +
                " numbers, but these patches have " + std::to_string(config.dim) +
                ": choose a patch size and colour that give " + std::to_string(present.dim) + ".");
    } else if (const bool same = last_ && last_recipe_.seed == recipe_.seed &&
                                 present.dim == config.dim && present.channels == config.channels &&
                                 present.qkv_bias == config.qkv_bias;
               !same) {
        validate(config);
        // In double: both factors come from the user.
        refuse_beyond_memory(4.0 * config.channels * (3.0 * config.dim + config.channels),
                             "These weights", "fewer channels or smaller patches");
        const auto weights =
            std::make_shared<const AttentionWeights>(draw_weights(config, recipe_.seed, stop));
        auto model = std::make_shared<Model>(*layer_to_be_drawn());
        AttentionConfig own = model->blocks.front().attention;  // without the recipe's choices
        own.dim = config.dim;
        own.channels = config.channels;
        own.qkv_bias = config.qkv_bias;
        model->blocks = {bare_block(own, weights)};
        trace.model = std::move(model);
    }
    trace.block = 0;
    trace.set(Tensor::input, trace.result(Tensor::tokens));
    trace.layout = {0, 0, 0, trace.grid.count()};
    validate(config);
    enter_block(trace, trace.model->blocks.front());
    trace.config = config;
    trace.shape.heads = config.heads;
    trace.shape.head_dim = config.head_dim();
    trace.keeps_squares = true;
    refuse_beyond_memory(trace_bytes(trace.shape, config.dim), "This layer", kFewerTokens);
}

}  // namespace headlight

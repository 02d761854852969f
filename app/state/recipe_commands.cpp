#include "state/recipe_commands.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "attention/painted.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "state/command.h"
#include "state/directory.h"
#include "state/fields.h"

namespace headlight {

namespace {

const Field& known_field(const std::string& name) {
    const Field* field = find_field(name);
    if (!field) throw CommandError("There is no field called " + in_quotes(name) + " to set.");
    return *field;
}

// "set layer 9" used to mean the tenth layer. The command named `layer` counts from 1.
[[noreturn]] void refuse_set_from_zero(const std::string& name, const FieldInfo& field,
                                       const std::string& value) {
    const int most = static_cast<int>(field.high) - 1;
    throw CommandError(
        "\"set " + name + "\" is no longer a command, because it counted from 0. Write \"" + name +
        " " + std::to_string(parse_integer(name, value, 0, most) + 1) + "\", which counts from 1.");
}

// "set grid on" used to draw the patches' borders; "set grid 15x20" lays out attention maps.
const Field& field_to_set(const std::string& name, const std::string& value) {
    constexpr std::array<std::string_view, 4> kToggles{"true", "false", "on", "off"};
    const bool toggle = std::ranges::find(kToggles, value) != kToggles.end();
    return known_field(name == "grid" && toggle ? "borders" : name);
}

struct Range {
    int first = 0, last = 0;
};
Range parse_range(const std::string& verb, const std::string& text, Index end) {
    const std::size_t sign = std::min(text.find('-'), text.size());
    const int most = static_cast<int>(end) - 1;
    const int first = parse_integer(verb, text.substr(0, sign), 0, most);
    if (sign == text.size()) return {first, first};
    return {first, parse_integer(verb, text.substr(sign + 1), first, most)};
}

bool parse_blocked(const std::string& verb, const std::string& text) {
    constexpr std::array<std::string_view, 2> names{"free", "blocked"};
    return parse_name(verb, text, names) == 1;
}

// The distance between neighboring tokens in the picture; for T2T, after its soft splits.
PatchSettings token_steps(const Recipe& recipe, const Model& model) {
    if (model.splits.empty()) return patches_of(recipe, model);
    int stride = 1;
    for (const SoftSplit& split : model.splits) stride *= split.stride;
    return {stride, stride, Ragged::crop};
}

// A trace with scores, which a mask needs.
const Trace& with_scores(const Trace& trace, const char* verb) {
    if (!trace.has(Tensor::query))
        throw CommandError(std::string(verb) + ": there are no scores to mask.");
    return trace;
}

}  // namespace

const Model* known_model(const Outcome& now, const Recipe& recipe) {
    const Recipe& shown = now.recipe;
    const bool same = shown.weights == recipe.weights && shown.reading == recipe.reading &&
                      shown.layers == recipe.layers && shown.heads == recipe.heads;
    return now.trace && same ? now.trace->model.get() : nullptr;
}

const Trace& computed(const Trace* trace) {
    if (!trace) throw CommandError("Nothing has been computed yet. Open an image first.");
    return *trace;
}

// Rejects a value without effect, because the user would wait for one.
void RecipeCommands::expect_effect(const std::string& name, const FieldInfo& field) const {
    const AppliesTo to = field.applies_to;
    if (to == AppliesTo::signal && !std::holds_alternative<Signal>(state_.recipe.tokens))
        throw CommandError(name + ": there is no signal to change. Use signal first.");
    if (to == AppliesTo::queries && gives_tokens(state_.recipe.tokens))
        throw CommandError(name +
                           ": learned queries attend to patches of a picture, but the tokens here "
                           "come from elsewhere. Use picture first.");
    // Defaults of another file are unknown before it is read.
    const bool known = now_.trace && now_.recipe.weights == state_.recipe.weights;
    if (known && to == AppliesTo::attention_maps && now_.trace->model &&
        !now_.trace->model->is_maps())
        throw CommandError(name + ": expected a file of attention maps, found " +
                           now_.trace->model->title + ".");
    const bool whole = known && now_.trace->model && !now_.trace->model->is_bare_layer();
    const bool alone = to == AppliesTo::bare_layer || to == AppliesTo::drawn_layer ||
                       to == AppliesTo::queries || to == AppliesTo::order_of_norms;
    if (whole && alone && field.kind != FieldKind::structure)
        throw CommandError(name +
                           ": a whole model fixes this value. You can change it only for a single "
                           "attention layer.");
}

void RecipeCommands::set(const std::string& name, const std::string& value) {
    const Field& field = field_to_set(name, value);
    expect_effect(name, field);
    if (field.one_based) refuse_set_from_zero(name, field, value);
    State next = state_;
    if (name == "switched_off")  // of heads that the model has
        next.recipe.switched_off = parse_heads(name, value, known_model(now_, state_.recipe));
    else
        field.set(next, is_path(field.kind) ? whole_path(value) : value);
    change([&](State& state) { state = std::move(next); });
}

void RecipeCommands::change(const std::function<void(State&)>& how) {
    const bool before = is_cross(state_.recipe);
    how(state_);
    const bool after = is_cross(state_.recipe);
    if (before != after) after ? look_across(state_.selection) : look_at_tokens(state_.selection);
}

void RecipeCommands::reset(const std::string& name) {
    if (name == "all") return change([](State& state) { state.recipe = as_made(state.recipe); });
    const Field& field = known_field(name);
    change([&](State& state) { field.set(state, field.get(State{})); });
}

// The default settings for the current image and model; if the model could not be computed, without
// it.
void RecipeCommands::defaults() {
    Recipe usual = as_made(state_.recipe);
    usual.rollout.reset();
    const bool computed = now_.trace && now_.recipe.weights == usual.weights;
    state_.recipe = computed ? usual : with_model(usual, "");
    // The picture that is restored later also loses the settings of an earlier experiment.
    if (state_.on_picture) state_.on_picture = as_made(*state_.on_picture);
}

// Keeps the distance of patches, or that they touch, and cuts off none.
void RecipeCommands::patch_grid(const std::vector<std::string>& args) {
    constexpr const char* verb = "patch-grid";
    constexpr int kMost = 512;
    const Trace& trace = computed(now_.trace.get());
    const Recipe& recipe = state_.recipe;
    if (!trace.image || gives_tokens(recipe.tokens) || now_.recipe.weights != recipe.weights)
        throw CommandError("patch-grid: there is no picture to cut into patches. Open one first.");
    const int rows = parse_integer(verb, args[0], 1, kMost),
              cols = parse_integer(verb, args[1], 1, kMost);
    State next = state_;
    const PatchSettings before = token_steps(next.recipe, *trace.model);
    if (args.size() > 2) {
        expect_effect(verb, known_field("patch_size"));
        known_field("patch_size").set(next, args[2]);
    }
    PatchSettings now = token_steps(next.recipe, *trace.model);
    if (before.stride != before.size && now.size != before.size) {
        now.stride = std::max(1, before.stride * now.size / before.size);
        known_field("stride").set(next, std::to_string(now.stride));
    }
    const auto pixels = [&](int patches) {
        return std::to_string((patches - 1) * now.stride + now.size);
    };
    known_field("image_height").set(next, pixels(rows));
    known_field("image_width").set(next, pixels(cols));
    state_.recipe = std::move(next.recipe);
}

void RecipeCommands::filter_heads(const std::string& which, const std::string& by,
                                  const std::string& bound) {
    State next = state_;
    known_field("heads_filter").set(next, which);
    known_field("heads_filter_by").set(next, by);
    known_field("heads_bound").set(next, bound);
    state_.look = std::move(next.look);
}

void RecipeCommands::heads_class(const std::string& which) {
    if (which.empty()) return state_.look.heads_class.reset();
    const Model& model = *computed(now_.trace.get()).model;
    if (!has_classes(model)) throw CommandError("heads-class: this model has no classes.");
    const auto count = static_cast<int>(model.classifier.weight->view().rows);
    for (int i = 0; i < count; ++i)
        if (class_name(model, i) == which) return void(state_.look.heads_class = i);
    const bool number = std::ranges::all_of(which, [](char c) { return c >= '0' && c <= '9'; });
    if (!number)
        throw CommandError("heads-class: none of the model's " + std::to_string(count) +
                           " classes is called " + in_quotes(which) + ".");
    state_.look.heads_class = parse_integer("heads-class", which, 0, count - 1);
}

void RecipeCommands::layer(const std::string& which) {
    const Trace& trace = computed(now_.trace.get());
    const int count = static_cast<int>(trace.model->layers.size());  // including token transformers
    int& layer = state_.recipe.layer;
    if (which == "next")
        layer = std::min(layer + 1, count - 1);
    else if (which == "previous")
        layer = std::max(layer - 1, 0);
    else
        layer = parse_layer("layer", which, *trace.model);
}

void RecipeCommands::sample(const std::string& which) {
    const Trace& trace = computed(now_.trace.get());
    if (!trace.model->is_maps())
        throw CommandError("sample: expected tokens or attention maps of a file, found neither.");
    const int last = trace.model->map_samples;
    const int present = state_.recipe.model.sample.value_or(trace.model->map_sample + 1);
    if (which == "next")
        state_.recipe.model.sample = std::min(present + 1, last);
    else if (which == "previous")
        state_.recipe.model.sample = std::max(present - 1, 1);
    else
        state_.recipe.model.sample = parse_ordinal("sample", which, last, "samples") + 1;
}

void RecipeCommands::switch_head(const std::string& layer, const std::string& head) {
    const Trace& trace = computed(now_.trace.get());
    const Model& model = *trace.model;
    if (model.is_maps())
        throw CommandError(
            "switch-head: nothing can be computed from attention maps without a model.");
    const auto& layers = model.layers;
    const int b = parse_layer("switch-head", layer, model);
    const int heads = model.is_bare_layer() ? trace.config.heads
                                            : layers[static_cast<std::size_t>(b)].attention.heads;
    const HeadPlace place{b, parse_ordinal("switch-head", head, heads, "heads")};

    auto& off = state_.recipe.switched_off;
    const auto found = std::ranges::lower_bound(off, place);
    if (found != off.end() && *found == place) {
        off.erase(found);
    } else {
        off.insert(found, place);
    }
}

void RecipeCommands::mask_cells(const std::string& what, const std::string& rows,
                                const std::string& keys) {
    constexpr const char* verb = "mask-cells";
    const AttentionShape& shape = with_scores(computed(now_.trace.get()), verb).shape;
    const bool blocked = parse_blocked(verb, what);
    const Range row = parse_range(verb, rows, shape.queries),
                key = parse_range(verb, keys, shape.keys);
    if (shape.queries > kMostPainted / shape.keys)
        throw CommandError(
            "mask-cells: there are too many cells to paint. Choose larger patches or a smaller "
            "image.");
    state_.recipe.mask = painted(state_.recipe.mask, shape.queries, shape.keys,
                                 {row.first, row.last, key.first, key.last}, blocked);
}

void RecipeCommands::mask_keys(const std::string& what, const std::string& keys) {
    constexpr const char* verb = "mask-keys";
    const Trace& trace = with_scores(computed(now_.trace.get()), verb);
    const bool blocked = parse_blocked(verb, what);
    const Range range = parse_range(verb, keys, trace.shape.keys);
    MaskRules& rules = state_.recipe.mask;
    MaskRule rule{MaskKind::keys};
    if (const auto held = std::ranges::find(rules, MaskKind::keys, &MaskRule::kind);
        held != rules.end())
        rule = *held;
    std::erase_if(rule.numbers, [&](int key) { return key >= range.first && key <= range.last; });
    for (int key = range.first; blocked && key <= range.last; ++key) rule.numbers.push_back(key);
    std::ranges::sort(rule.numbers);
    std::erase_if(rules, [](const MaskRule& each) { return each.kind == MaskKind::keys; });
    if (!rule.numbers.empty()) rules.push_back(std::move(rule));
    std::ranges::sort(rules, {}, &MaskRule::kind);
}

void RecipeCommands::switch_heads_on() { state_.recipe.switched_off.clear(); }

}  // namespace headlight

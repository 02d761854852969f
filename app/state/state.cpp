#include "state/state.h"

#include <algorithm>
#include <utility>

namespace headlight {

bool same_choices(const State& a, const State& b) {
    return a.recipe == b.recipe && a.pinned == b.pinned && a.on_picture == b.on_picture &&
           a.reference == b.reference && a.selection == b.selection && a.region == b.region &&
           a.look == b.look;
}

bool has_input(const Recipe& recipe) {
    return gives_tokens(recipe.tokens) || recipe.scene || !recipe.image.empty();
}

std::string_view input_name(const Recipe& recipe) {
    if (const auto* set = std::get_if<VectorSet>(&recipe.tokens))
        return has_words(*set) ? "words" : "vectors";
    if (std::holds_alternative<TokenFile>(recipe.tokens)) return "tokens";
    if (gives_tokens(recipe.tokens)) return "signal";
    return recipe.scene ? "scene" : "";
}

namespace {

// For given tokens in an untrained layer: no projections, so that attention follows their
// similarity.
Projections usual_projections(const Recipe& recipe) {
    const bool drawn = recipe.weights.empty(), alike = !gives_queries(recipe.tokens);
    return drawn && alike && gives_tokens(recipe.tokens) ? Projections::none : Projections::learned;
}

}  // namespace

Recipe with_tokens(const Recipe& recipe, TokenSource tokens) {
    Recipe given = recipe;
    if (recipe.tokens.index() != tokens.index() ||
        gives_queries(recipe.tokens) != gives_queries(tokens))
        given = {};
    const bool begins = !gives_tokens(given.tokens);
    given.tokens = std::move(tokens);
    if (begins) given.variant.projections = usual_projections(given);
    return given;
}

void leave_tokens(State& state, Recipe on_picture) {
    state.recipe = std::move(on_picture);
    state.selection.token.reset();
    state.selection.also.clear();
    state.selection.key.reset();
    state.selection.col.reset();
}

Recipe picture_again(const State& state) {
    return gives_tokens(state.recipe.tokens) ? state.on_picture.value_or(Recipe{}) : state.recipe;
}

Look with_own(Look look, const Look& own) {
    look.theme = own.theme;
    look.zoom = own.zoom;
    look.lecture = own.lecture;
    look.lecture_theme = own.lecture_theme;
    look.pointer_light = own.pointer_light;
    look.pointer_dot = own.pointer_dot;
    look.pen = own.pen;
    look.improvise = own.improvise;
    look.notes = own.notes;
    look.widget_names = own.widget_names;
    look.signed_map = own.signed_map;
    look.attention_map = own.attention_map;
    look.motion = own.motion;
    look.moving_operands = own.moving_operands;
    look.speed = own.speed;
    look.left_width = own.left_width;
    look.right_width = own.right_width;
    look.folds = own.folds;
    return look;
}

void remember(std::vector<std::string>& recent, const std::string& file) {
    if (file.empty()) return;
    std::erase(recent, file);
    recent.insert(recent.begin(), file);
    if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
}

void remember(std::vector<LessonPlace>& lessons, const std::string& file, int stop) {
    LessonPlace place{file, stop, stop};
    if (const auto found = std::ranges::find(lessons, file, &LessonPlace::file);
        found != lessons.end()) {
        place.furthest = std::max(stop, found->furthest);
        place.marks = std::move(found->marks);
        lessons.erase(found);
    }
    lessons.insert(lessons.begin(), std::move(place));
    if (lessons.size() > kMaxLessons) lessons.resize(kMaxLessons);
}

void remember(std::vector<LessonPlace>& lessons, const std::string& file, const LessonMark& mark) {
    const auto found = std::ranges::find(lessons, file, &LessonPlace::file);
    if (found == lessons.end() || found->marks.size() >= kMaxMarks) return;
    const auto is_task = [](const LessonMark& m) { return m.result == LessonResult::done; };
    const bool known = std::ranges::any_of(found->marks, [&](const LessonMark& m) {
        return m.stop == mark.stop && m.number == mark.number && is_task(m) == is_task(mark);
    });
    if (!known) found->marks.push_back(mark);
}

Recipe with_input_of(Recipe recipe, const Recipe& other) {
    recipe.image = other.image;
    recipe.scene = other.scene;
    recipe.tokens = other.tokens;
    return recipe;
}

Recipe with_model(const Recipe& recipe, const std::string& file) {
    Recipe met = with_input_of({}, recipe);
    met.weights = file;
    // The settings of a randomly initialized layer, for when the model is closed.
    met.layers = recipe.layers;
    met.channels = recipe.channels;
    met.value_channels = recipe.value_channels;
    met.outputs = recipe.outputs;
    met.qkv_bias = recipe.qkv_bias;
    met.seed = recipe.seed;
    if (file == recipe.weights) met.reading = recipe.reading;
    met.variant.projections = usual_projections(met);
    return met;
}

void look_at_drawn_layer(Recipe& recipe) {
    if (recipe.weights.empty()) recipe.layer = std::min(recipe.layer, recipe.layers - 1);
}

Recipe as_made(const Recipe& recipe) {
    Recipe made = with_input_of({}, recipe);
    made.weights = recipe.weights;
    made.model.part = recipe.model.part;  // selects the model
    made.variant.projections = usual_projections(made);
    made.reading = recipe.reading;
    made.layer = recipe.layer;
    made.rollout = recipe.rollout;  // only displays values and changes none
    return made;
}

void look_across(Selection& selection) {
    selection.key = selection.token;
    selection.token = 0;
    selection.also.clear();
    if (selection.col_axis == Axis::key_token) selection.col = selection.key;
}

void look_at_tokens(Selection& selection) {
    if (selection.key) selection.token = selection.key;
    selection.also.clear();
    selection.key.reset();
}

Selection first_selection(int patches_across, int patches_down, int prefix) {
    const int across = std::max(patches_across, 1), down = std::max(patches_down, 1);
    const int row = down / 2, col = across / 2;
    // A neighbor: close, but not the token itself, whose cell on the diagonal would be a special
    // case. Above and to the right if possible, otherwise to the left.
    const int key_row = std::max(row - 1, 0);
    const int key_col = col + 1 < across ? col + 1 : std::max(col - 1, 0);
    Selection selection;
    selection.token = prefix + row * across + col;
    selection.col = prefix + key_row * across + key_col;
    selection.col_axis = Axis::key_token;
    return selection;
}

}  // namespace headlight

#include <algorithm>
#include <filesystem>
#include <utility>

#include "disk/names.h"
#include "program/values.h"
#include "state/directory.h"
#include "state/fields.h"
#include "state/workspace.h"
#include "trace/token_rows.h"

// What each command does. Every function here checks its arguments first and changes something
// only when all of them are good.
namespace headlight {

namespace {

const Field& known_field(const std::string& name) {
    const Field* field = find_field(name);
    if (!field) throw CommandError("There is nothing called " + in_quotes(name) + " to set.");
    return *field;
}

const Trace& computed(const Trace* trace) {
    if (!trace) throw CommandError("Nothing has been computed yet: open an image first.");
    return *trace;
}

}  // namespace

const std::vector<Workspace::Verb>& Workspace::verbs() {
    using W = Workspace;
    using A = Args;
    static const std::vector<Verb> table{
        {{"open", "PATH", "Shows another image, a scene (.json) or a model."},
         Undo::each,
         [](W& w, const A& a) { w.open(a[0]); }},
        {{"open-model", "PATH", "Opens a checkpoint, or a folder with one, as it was made."},
         Undo::each,
         [](W& w, const A& a) { w.open_model(a[0]); }},
        {{"close-model", "", "Draws one layer from the seed instead of the model."},
         Undo::each,
         [](W& w, const A&) { w.close_model(); }},
        {{"set", "FIELD VALUE", "Gives a field a value; the fields are listed below."},
         Undo::gesture,
         [](W& w, const A& a) { w.set(a[0], a[1]); }},
        {{"reset", "FIELD|all",
          "Gives a field its usual value again, or makes the model again what it was made."},
         Undo::each,
         [](W& w, const A& a) { w.reset(a[0]); }},
        {{"defaults", "",
          "Gives all that is computed its usual settings, for the image and model that are there."},
         Undo::each,
         [](W& w, const A&) { w.defaults(); }},
        {{"scene", "N|random",
          "Draws random scene number N, below 2^64, or one that was never shown and that no model "
          "was trained on."},
         Undo::each,
         [](W& w, const A& a) { w.scene(a[0]); }},
        {{"open-scene", "PATH", "Shows the scene of a file."},
         Undo::each,
         [](W& w, const A& a) { w.open_scene(a[0]); }},
        {{"shape-move", "SHAPE X Y",
          "Moves the centre of a shape of the scene; the frame is 80 × 80 units."},
         Undo::gesture,
         [](W& w, const A& a) { w.shape_move(a[0], a[1], a[2]); }},
        {{"shape-resize", "SHAPE RADIUS", "Makes a shape larger or smaller: 3 to 40 units."},
         Undo::gesture,
         [](W& w, const A& a) { w.shape_resize(a[0], a[1]); }},
        {{"shape-turn", "SHAPE DEGREES", "Turns a shape clockwise, -360 to 360."},
         Undo::gesture,
         [](W& w, const A& a) { w.shape_turn(a[0], a[1]); }},
        {{"shape-colour", "SHAPE RRGGBB", "Gives a shape a colour, written as in the web."},
         Undo::gesture,
         [](W& w, const A& a) { w.shape_colour(a[0], a[1]); }},
        {{"shape-kind", "SHAPE KIND",
          "Makes a shape a disc, square, triangle, ring, cross or star."},
         Undo::each,
         [](W& w, const A& a) { w.shape_kind(a[0], a[1]); }},
        {{"shape-add", "KIND X Y", "Lays a shape on top of the others, in a colour of its own."},
         Undo::each,
         [](W& w, const A& a) { w.shape_add(a[0], a[1], a[2]); }},
        {{"shape-delete", "SHAPE", "Takes a shape away."},
         Undo::each,
         [](W& w, const A& a) { w.shape_delete(a[0]); }},
        {{"twin", "SHAPE", "Gives another shape this one's kind, or adds one that has it."},
         Undo::each,
         [](W& w, const A& a) { w.twin(a[0]); }},
        {{"untwin", "SHAPE", "Gives a shape a kind that no other has."},
         Undo::each,
         [](W& w, const A& a) { w.untwin(a[0]); }},
        {{"shape", "SHAPE", "Chooses a shape, counted from 1 in drawing order."},
         Undo::none,
         [](W& w, const A& a) { w.shape(a[0]); }},
        {{"switch-head", "LAYER HEAD",
          "Switches a head off, or on again; both are counted from 1."},
         Undo::each,
         [](W& w, const A& a) { w.switch_head(a[0], a[1]); }},
        {{"switch-heads-on", "", "Switches all heads on."},
         Undo::each,
         [](W& w, const A&) { w.switch_heads_on(); }},
        {{"step", "NAME|next|previous|first|last", "Goes to a step of the walk."},
         Undo::walk,
         [](W& w, const A& a) { w.step(a[0]); }},
        {{"stop", "next|previous", "Goes to a stop: a step, or a part of one (softmax has three)."},
         Undo::walk,
         [](W& w, const A& a) { w.stop(a[0]); }},
        {{"layer", "N|next|previous", "Looks at another layer, counted from 1."},
         Undo::walk,
         [](W& w, const A& a) { w.layer(a[0]); }},
        {{"head", "N|next|previous", "Chooses and pins a head, counted from 1."},
         Undo::walk,
         [](W& w, const A& a) { w.head(a[0]); }},
        {{"head-click", "N",
          "Does what a click on a head does: chooses and pins it, or releases it when it is the "
          "pinned one."},
         Undo::walk,
         [](W& w, const A& a) { w.head_click(a[0]); }},
        {{"solo", "N", "Shows only this head; again: all."},
         Undo::walk,
         [](W& w, const A& a) { w.solo(a[0]); }},
        {{"focus", "TOKEN", "Pins a token, counted from 0: its row."},
         Undo::walk,
         [](W& w, const A& a) { w.focus(a[0]); }},
        {{"cell", "ROW COL", "Pins a cell of the present step's result."},
         Undo::walk,
         [](W& w, const A& a) { w.cell(a[0], a[1]); }},
        {{"release", "",
          "Lets go of the chosen shape, then of the pinned cell, then of the token."},
         Undo::walk,
         [](W& w, const A&) { w.release(); }},
        {{"undo", "", "Takes the last change back."},
         Undo::itself,
         [](W& w, const A&) { w.undo(); }},
        {{"redo", "", "Makes it again."}, Undo::itself, [](W& w, const A&) { w.redo(); }},
        {{"pin", "", "Keeps the present result as “before”, for comparison."},
         Undo::each,
         [](W& w, const A&) { w.pin(); }},
        {{"unpin", "", "Lets go of the result that was kept."},
         Undo::each,
         [](W& w, const A&) { w.unpin(); }},
        {{"compare", "now|before|difference", "Chooses what is shown where a result was kept."},
         Undo::each,
         [](W& w, const A& a) { w.compare(a[0]); }},
        {{"play", "", "Plays the walk."}, Undo::walk, [](W& w, const A&) { w.play(); }},
        {{"pause", "", "Stands still."}, Undo::none, [](W& w, const A&) { w.playback_.pause(); }},
        {{"toggle-play", "", "Plays, or stands still."},
         Undo::walk,
         [](W& w, const A&) { w.playing() ? w.playback_.pause() : w.play(); }},
        {{"scrub", "POSITION",
          "Goes to a place between steps: the number of the step, and how far it has got."},
         Undo::walk,
         [](W& w, const A& a) { w.scrub(a[0]); }},
        {{"show", "files|model|help|about|nothing", "Opens a panel over the walk."},
         Undo::none,
         [](W& w, const A& a) { w.show(a[0]); }},
        {{"cancel", "", "Stops the computation."}, Undo::none, [](W& w, const A&) { w.cancel(); }},
    };
    return table;
}

// ---- what is computed

void Workspace::open(const std::string& path) {
    if (path.empty())
        throw CommandError(
            "open: expected the name of an image, a scene or a checkpoint, found nothing.");
    std::error_code unknown;
    if (is_checkpoint_name(path) || std::filesystem::is_directory(path, unknown))
        return open_model(path);
    if (is_scene_name(path)) return open_scene(path);
    const Recipe before = state_.recipe;
    state_.recipe.image = whole_path(path);
    state_.recipe.scene.reset();
    // The same name again, after it failed: perhaps the file is there by now.
    const bool shown = trace_ && state_.recipe == trace_recipe_;
    if (state_.recipe == before && !shown) request();
}

void Workspace::open_model(const std::string& path) {
    if (path.empty())
        throw CommandError("open-model: expected the name of a checkpoint, found nothing.");
    std::error_code unknown;
    if (!std::filesystem::is_directory(path, unknown)) return use_model(whole_path(path));
    const auto inside = checkpoint_in(path);
    if (!inside) throw CommandError(why_no_checkpoint_in(path));
    use_model(whole_path(inside->string()));
}

void Workspace::close_model() {
    if (state_.recipe.weights.empty()) throw CommandError("There is no model to close.");
    use_model("");
}

void Workspace::use_model(const std::string& file) {
    const Recipe before = state_.recipe;
    if (file == before.weights && model_changed()) {  // the same experiment on what it is by now
        ++state_.recipe.reading;
        return;
    }
    state_.recipe = with_model(before, file);
    if (file == before.weights) state_.recipe.reading = before.reading;
    const bool shown = trace_ && state_.recipe == trace_recipe_;
    if (state_.recipe == before && !shown) request();
}

void Workspace::set(const std::string& name, const std::string& value) {
    const Field& field = known_field(name);
    field.set(state_, field.kind == FieldKind::file ? whole_path(value) : value);
}

void Workspace::reset(const std::string& name) {
    if (name == "all")
        state_.recipe = as_made(state_.recipe);
    else
        set(name, known_field(name).get(State{}));
}

// The usual settings, for the image and the model that are there; of a model that could not be
// computed, without it.
void Workspace::defaults() {
    Recipe usual = as_made(state_.recipe);
    usual.rollout.reset();
    const bool computed = trace_ && trace_recipe_.weights == usual.weights;
    state_.recipe = computed ? usual : with_model(std::move(usual), "");
}

void Workspace::cancel() {
    if (!worker_.busy()) return;
    worker_.cancel();
    // Half opened is not opened: the model in view stays the chosen one.
    const std::string file = state_.recipe.weights;
    take_back(&Recipe::weights);
    if (!file.empty() && file != state_.recipe.weights)
        return warn("Stopped: " + model_name(file) + " was not opened.");
    warn(trace_ ? "Stopped: what is shown was computed before the last change."
                : "Stopped before there was a result.");
}

// ---- where the person looks

void Workspace::step(const std::string& where) {
    Step& step = state_.selection.step;
    const std::vector<Step>& walk = steps();
    const auto at = std::find(walk.begin(), walk.end(), step);
    const auto& all = all_steps();
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const StepInfo& s) { return s.name == where; });
    if (named != all.end()) {
        if (std::find(walk.begin(), walk.end(), named->id) == walk.end())
            throw CommandError("step: this model has no step " + in_quotes(where) + " here.");
        step = named->id;
    } else if (where == "next") {
        if (at != walk.end() && at + 1 != walk.end()) step = *(at + 1);
    } else if (where == "previous") {
        if (at != walk.end() && at != walk.begin()) step = *(at - 1);
    } else if (where == "first") {
        step = walk.front();
    } else if (where == "last") {
        step = walk.back();
    } else {
        refuse_value("step", "the name of a step, next, previous, first or last", where);
    }
    playback_.rest();
}

void Workspace::layer(const std::string& which) {
    const Trace& trace = computed(trace_.get());
    const int count = static_cast<int>(trace.model->layers.size());
    int& layer = state_.recipe.layer;
    if (which == "next")
        layer = std::min(layer + 1, count - 1);
    else if (which == "previous")
        layer = std::max(layer - 1, 0);
    else
        layer = parse_integer("layer", which, 1, count) - 1;
}

void Workspace::stop(const std::string& where) {
    if (where == "next") {
        playback_.next_stop(state_.selection.step);
    } else if (where == "previous") {
        playback_.previous_stop(state_.selection.step);
    } else {
        refuse_value("stop", "next or previous", where);
    }
}

void Workspace::play() {
    if (playing()) return;
    const Step before = state_.selection.step;
    playback_.play(state_.selection.step);
    play_recorded_ = state_.selection.step != before;  // started over: the command's own undo step
}

void Workspace::scrub(const std::string& position) {
    playback_.scrub(parse_number("scrub", position, 0, static_cast<double>(steps().size())),
                    state_.selection.step);
}

int Workspace::head_count() const {
    const Trace* trace = trace_in_view();
    return trace != nullptr ? static_cast<int>(trace->shape.heads) : kMostHeads;
}

int Workspace::parse_head(std::string_view verb, const std::string& text) const {
    return parse_integer(verb, text, 1, head_count()) - 1;
}

void Workspace::head(const std::string& which) {
    Selection& s = state_.selection;
    if (which == "next") {
        s.head = std::min(s.head + 1, head_count() - 1);
    } else if (which == "previous") {
        s.head = std::max(s.head - 1, 0);
    } else {
        s.head = parse_head("head", which);
    }
    s.head_pinned = true;
}

void Workspace::head_click(const std::string& which) {
    Selection& s = state_.selection;
    const int head = parse_head("head-click", which);
    s.head_pinned = !(s.head_pinned && s.head == head);
    s.head = head;
}

void Workspace::solo(const std::string& which) {
    Selection& s = state_.selection;
    const int head = parse_head("solo", which);
    s.solo = !(s.solo && s.head == head);
    s.head = head;
    s.head_pinned = true;
}

void Workspace::focus(const std::string& token) {
    const Trace& trace = computed(trace_in_view());
    state_.selection.token =
        parse_integer("focus", token, 0, static_cast<int>(trace.shape.queries) - 1);
}

void Workspace::cell(const std::string& row, const std::string& col) {
    const Trace& trace = computed(trace_in_view());
    Selection& s = state_.selection;
    const Node* node = trace.node(s.step);
    if (node == nullptr) throw CommandError("cell: this step is not part of the walk in view.");
    const TensorInfo& result = info(node->result());
    if (result.rows == Axis::pixel_row)
        throw CommandError("cell: the rows of this step's result are not tokens.");
    const int r = parse_integer("cell", row, 0, static_cast<int>(trace.rows(result.id)) - 1);
    const int c = parse_integer("cell", col, 0, static_cast<int>(trace.cols(result.id)) - 1);
    // A row that speaks for the whole image is no token's; another layer's token is none of these.
    if (const Index token = token_of_row(trace, result.id, r); token >= 0)
        s.token = static_cast<int>(token);
    s.col = c;
    s.col_axis = result.cols;
}

void Workspace::release() {
    Selection& s = state_.selection;
    if (s.shape) {
        s.shape.reset();
    } else if (s.col) {
        s.col.reset();
    } else if (s.token) {
        s.token.reset();
    } else {
        s.head_pinned = s.solo = false;
    }
}

// ---- history and comparison

void Workspace::undo() {
    if (!can_undo()) throw CommandError("There is nothing to undo.");
    go_to(history_.undo(chosen()));
}

void Workspace::redo() {
    if (!can_redo()) throw CommandError("There is nothing to redo.");
    go_to(history_.redo(chosen()));
}

void Workspace::pin() {
    computed(trace_.get());
    state_.pinned = trace_recipe_;
    pinned_trace_ = trace_;
    pinned_summary_ = summary_;
    pinned_trace_recipe_ = trace_recipe_;
}

void Workspace::unpin() {
    state_.pinned.reset();
    state_.look.compare = Compare::now;
}

void Workspace::compare(const std::string& what) {
    const auto chosen = static_cast<Compare>(parse_name("compare", what, kNames<Compare>));
    if (chosen != Compare::now && !state_.pinned)
        throw CommandError("There is no result to compare with: keep one first (P).");
    state_.look.compare = chosen;
}

// ---- panels

void Workspace::show(const std::string& panel) {
    panel_ = static_cast<Panel>(parse_name("show", panel, kNames<Panel>));
    if (panel_ != Panel::nothing) playback_.pause();  // nothing goes on unseen behind it
}

}  // namespace headlight

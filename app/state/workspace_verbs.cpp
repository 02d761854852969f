#include <algorithm>
#include <exception>

#include "disk/files.h"
#include "disk/hub_cache.h"
#include "disk/names.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "scene/scene_file.h"
#include "state/directory.h"
#include "state/image_folder.h"
#include "state/session.h"
#include "state/token_files.h"
#include "state/workspace.h"

// The commands of the workspace. Every function checks all its arguments before it changes
// anything.
namespace headlight {

const std::vector<Workspace::Verb>& Workspace::verbs() {
    using W = Workspace;
    using A = Args;
    static const std::vector<Verb> table{
        {{"open", "PATH",
          "Opens an image, a scene (.json), a model, tokens from a file, an experiment, or all "
          "images in a folder.",
          Undo::each},
         [](W& w, const A& a) { w.open(a[0]); }},
        {{"open-model", "PATH [LAYER]",
          "Opens a checkpoint, or a folder with one, with its original settings. LAYER counts from "
          "1; T1 is the first of T2T's token transformers.",
          Undo::each},
         [](W& w, const A& a) {
             if (a.size() == 1) return w.open_model(a[0]);
             const NamedLayer layer = NamedLayer::parse("open-model", a[1]);
             w.open_model(a[0]);
             w.look_at(layer);
         }},
        {{"open-experiment", "FILE",
          "Opens an experiment that save-experiment saved: picture, model, settings, baseline, "
          "region, selection and what is measured.",
          Undo::itself},
         [](W& w, const A& a) { w.open_experiment(a[0]); }},
        {{"folder", "PATH",
          "Shows the first image of a folder, and all of them in a row below the maps of all "
          "heads.",
          Undo::each},
         [](W& w, const A& a) { w.tell(look_at_folder(w.state_, a[0])); }},
        {{"reference", "[FILE]",
          "Compares the walk with the numbers of another program, such as PyTorch, in a "
          ".safetensors, .npz or .npy file. Without a file: stops comparing.",
          Undo::each},
         [](W& w, const A& a) { w.open_reference(a.empty() ? "" : a[0]); }},
        {{"close-model", "", "Closes the model and computes attention with random weights instead.",
          Undo::each},
         [](W& w, const A&) { w.close_model(); }},
        {{"set", "FIELD VALUE", "Sets a field to a value. The fields are listed below.",
          Undo::gesture},
         [](W& w, const A& a) {
             w.recipe_commands().set(a[0], a[1]);
             if (a[0] == "screen") w.state_.selection.opened_from.reset();
         }},
        {{"reset", "FIELD|all",
          "Resets a field to its default value. all: undoes every change to the model.",
          Undo::each},
         [](W& w, const A& a) { w.recipe_commands().reset(a[0]); }},
        {{"patch-grid", "ROWS COLUMNS [SIZE]",
          "Frames the picture so that it has this many patches. SIZE is the side of a patch in "
          "pixels.",
          Undo::stroke},
         [](W& w, const A& a) { w.recipe_commands().patch_grid(a); }},
        {{"filter-heads", "least|most ORDER BOUND",
          "Shows the heads whose measure ORDER, such as entropy, is at least or at most BOUND. To "
          "show "
          "all again: set heads_filter all.",
          Undo::each},
         [](W& w, const A& a) { w.recipe_commands().filter_heads(a[0], a[1], a[2]); }},
        {{"heads-class", "[CLASS]",
          "Chooses the class for importance, contributions and patching: its name, or its number "
          "from 0. Without CLASS: the predicted class.",
          Undo::each},
         [](W& w, const A& a) { w.recipe_commands().heads_class(a.empty() ? "" : a[0]); }},
        {{"defaults", "",
          "Resets every setting of the computation to its default, and keeps image and model.",
          Undo::each},
         [](W& w, const A&) { w.recipe_commands().defaults(); }},
        {{"scene", "N|random",
          "Draws random scene number N, below 2^64. random: a new one that no model was trained "
          "on.",
          Undo::each},
         [](W& w, const A& a) { w.scene_commands().draw(a[0]); }},
        {{"vectors", "VECTOR|SET [VECTOR]...",
          "Shows 2 to 12 vectors as tokens instead of a picture: X,Y or X,Y,Z or, for a word, "
          "WORD=X,Y. Or a set: four, space, royal, bank-money, bank-river, hello.",
          Undo::each},
         [](W& w, const A& a) { w.token_commands().vectors(a); }},
        {{"set-vector", "VECTOR X Y [Z]", "Moves a vector, counted from 1.", Undo::gesture},
         [](W& w, const A& a) { w.token_commands().set_vector(a); }},
        {{"name-vector", "VECTOR WORD",
          "Gives a vector a word as its name. An empty word removes the name.", Undo::each},
         [](W& w, const A& a) { w.token_commands().name_vector(a[0], a[1]); }},
        {{"add-vector", "X Y [Z]", "Adds a vector.", Undo::each},
         [](W& w, const A& a) { w.token_commands().add_vector(a); }},
        {{"delete-vector", "VECTOR", "Removes a vector.", Undo::each},
         [](W& w, const A& a) { w.token_commands().delete_vector(a[0]); }},
        {{"signal", "steps|waves|pulses|drawn",
          "Shows a curve with noise instead of a picture; its windows are the tokens.", Undo::each},
         [](W& w, const A& a) { w.token_commands().signal(a[0]); }},
        {{"draw-signal", "SAMPLE LEVEL [SAMPLE] [LEVEL]",
          "Draws a line on the clean curve from one sample, counted from 0, to another.",
          Undo::stroke},
         [](W& w, const A& a) { w.token_commands().draw_signal(a); }},
        {{"tokens", "FILE [SAMPLE]",
          "Shows tokens from a file instead of a picture. The file holds an array [N, D], a "
          "feature map [H, W, C], or a tensor \"tokens\" [B, N, D]. SAMPLE counts from 1. With "
          "tensors named \"query\" and \"value\", the layer computes cross-attention.",
          Undo::each},
         [](W& w, const A& a) { w.open_tokens(a[0], a.size() > 1 ? a[1] : "1"); }},
        {{"sample", "N|next|previous",
          "Shows another sample of the tokens or attention maps in a file, counted from 1.",
          Undo::each},
         [](W& w, const A& a) { w.sample(a[0]); }},
        {{"array", "map|batch",
          "Sets how an array of three dimensions is read: a feature map [H, W, C], or a batch of "
          "tokens [B, N, D].",
          Undo::each},
         [](W& w, const A& a) { w.token_commands().array(a[0]); }},
        {{"picture", "", "Goes back to the picture that was shown before the tokens.", Undo::each},
         [](W& w, const A&) { w.token_commands().picture(); }},
        {{"open-scene", "PATH", "Opens a scene from a file.", Undo::each},
         [](W& w, const A& a) { w.open_scene(a[0]); }},
        {{"shape-move", "SHAPE X Y",
          "Moves the center of a shape in the scene; the frame is 80 × 80 units.", Undo::gesture},
         [](W& w, const A& a) { w.scene_commands().move(a[0], a[1], a[2]); }},
        {{"shape-resize", "SHAPE RADIUS", "Makes a shape larger or smaller: 3 to 40 units.",
          Undo::gesture},
         [](W& w, const A& a) { w.scene_commands().resize(a[0], a[1]); }},
        {{"shape-turn", "SHAPE DEGREES", "Turns a shape clockwise, -360 to 360.", Undo::gesture},
         [](W& w, const A& a) { w.scene_commands().turn(a[0], a[1]); }},
        {{"shape-color", "SHAPE RRGGBB",
          "Gives a shape a color: two hexadecimal digits each for red, green and blue.",
          Undo::gesture},
         [](W& w, const A& a) { w.scene_commands().color(a[0], a[1]); }},
        {{"shape-kind", "SHAPE KIND",
          "Makes a shape a disc, square, triangle, ring, cross or star.", Undo::each},
         [](W& w, const A& a) { w.scene_commands().kind(a[0], a[1]); }},
        {{"shape-add", "KIND X Y", "Adds a shape on top of the others, in a new color.",
          Undo::each},
         [](W& w, const A& a) { w.scene_commands().add(a[0], a[1], a[2]); }},
        {{"shape-delete", "SHAPE", "Removes a shape.", Undo::each},
         [](W& w, const A& a) { w.scene_commands().erase(a[0]); }},
        {{"twin", "SHAPE",
          "Makes another shape the same kind as this one, or adds one of that kind.", Undo::each},
         [](W& w, const A& a) { w.scene_commands().twin(a[0]); }},
        {{"untwin", "SHAPE", "Gives a shape a kind that no other has.", Undo::each},
         [](W& w, const A& a) { w.scene_commands().untwin(a[0]); }},
        {{"shape", "SHAPE", "Chooses a shape, counted from 1 in drawing order.", Undo::none},
         [](W& w, const A& a) { w.scene_commands().choose(a[0]); }},
        {{"switch-head", "LAYER HEAD",
          "Switches a head off, or on again. LAYER and HEAD count from 1.", Undo::each},
         [](W& w, const A& a) { w.recipe_commands().switch_head(a[0], a[1]); }},
        {{"mask-cells", "blocked|free ROWS KEYS",
          "Masks cells of the scores, or unmasks them. ROWS and KEYS are 3 or 3-9, counted from 0.",
          Undo::gesture},
         [](W& w, const A& a) { w.recipe_commands().mask_cells(a[0], a[1], a[2]); }},
        {{"mask-keys", "blocked|free KEYS",
          "Masks these keys for all queries, or unmasks them. KEYS is 3 or 3-9, counted from 0.",
          Undo::gesture},
         [](W& w, const A& a) { w.recipe_commands().mask_keys(a[0], a[1]); }},
        {{"region-patches", "in|out PATCHES",
          "Adds patches to the region, or removes them. PATCHES is a list such as 3-9,17, counted "
          "from 0.",
          Undo::gesture},
         [](W& w, const A& a) { w.region_commands().patches(a[0], a[1]); }},
        {{"region-rectangle", "PATCH PATCH",
          "Makes the region a rectangle with these two patches as opposite corners.",
          Undo::gesture},
         [](W& w, const A& a) { w.region_commands().rectangle(a[0], a[1]); }},
        {{"region-mask", "FILE",
          "Takes the region from a mask: an image the size of the picture, bright in the region.",
          Undo::each},
         [](W& w, const A& a) {
             w.region_commands().mask(a[0].empty() ? "" : whole_path(a[0]), w.read_file_);
         }},
        {{"region-clear", "", "Removes the region.", Undo::each},
         [](W& w, const A&) { w.region_commands().clear(); }},
        {{"switch-heads-on", "", "Switches all heads on.", Undo::each},
         [](W& w, const A&) { w.recipe_commands().switch_heads_on(); }},
        {{"step", "NAME|next|previous|first|last", "Goes to a step of the walk.", Undo::walk},
         [](W& w, const A& a) { w.walk_commands().step(a[0]); }},
        {{"stop", "next|previous",
          "Goes to the next or previous stop: a step, or a part of one (softmax has three).",
          Undo::walk},
         [](W& w, const A& a) { w.walk_commands().stop(a[0]); }},
        {{"layer", "N|next|previous",
          "Shows another layer, counted from 1; T1 and T2 are T2T's token transformers.",
          Undo::walk},
         [](W& w, const A& a) { w.recipe_commands().layer(a[0]); }},
        {{"head", "N|next|previous", "Chooses and pins a head, counted from 1.", Undo::walk},
         [](W& w, const A& a) { w.walk_commands().head(a[0]); }},
        {{"open-head", "LAYER HEAD",
          "Opens a head's attention in Walk; Escape goes back. LAYER and HEAD count from 1.",
          Undo::each},
         [](W& w, const A& a) { w.open_head(a[0], a[1]); }},
        {{"head-click", "N",
          "Does what a click on a head does: chooses and pins it, or releases the pinned one.",
          Undo::walk},
         [](W& w, const A& a) { w.walk_commands().head_click(a[0]); }},
        {{"solo", "N", "Shows only this head, or all heads again if it is already shown alone.",
          Undo::walk},
         [](W& w, const A& a) { w.walk_commands().solo(a[0]); }},
        {{"focus", "TOKEN", "Pins a token, counted from 0, and highlights its row.", Undo::walk},
         [](W& w, const A& a) { w.walk_commands().focus(a[0]); }},
        {{"query", "TOKEN",
          "On Heads, adds a token to the queries, counted from 0, or removes it if it is one "
          "already.",
          Undo::each},
         [](W& w, const A& a) { w.walk_commands().query(a[0]); }},
        {{"queries", "[TOKEN]...",
          "On Heads, makes these tokens the queries, each in its hue. Without TOKEN: keeps only "
          "the first query.",
          Undo::each},
         [](W& w, const A& a) { w.walk_commands().queries(a); }},
        {{"focus-key", "KEY", "In cross-attention, pins a key, counted from 0.", Undo::walk},
         [](W& w, const A& a) { w.walk_commands().focus_key(a[0]); }},
        {{"cell", "ROW COL", "Pins a cell of the current step's result.", Undo::walk},
         [](W& w, const A& a) { w.walk_commands().cell(a[0], a[1]); }},
        {{"release", "",
          "Releases the chosen shape, then the pinned cell, then the token. After open-head, goes "
          "back to the screen that it came from.",
          Undo::walk},
         [](W& w, const A&) { w.release(); }},
        {{"undo", "", "Undoes the last change.", Undo::itself}, [](W& w, const A&) { w.undo(); }},
        {{"redo", "", "Redoes the change that was undone last.", Undo::itself},
         [](W& w, const A&) { w.redo(); }},
        {{"pin", "", "Saves the current result as the baseline, “before”, for comparison.",
          Undo::each},
         [](W& w, const A&) { w.pin(); }},
        {{"unpin", "", "Discards the baseline.", Undo::each}, [](W& w, const A&) { w.unpin(); }},
        {{"compare", "before|after|difference", "Chooses what is shown when there is a baseline.",
          Undo::each},
         [](W& w, const A& a) { w.compare(a[0]); }},
        {{"swap", "",
          "Exchanges the current experiment and the baseline. On Heads without a baseline: "
          "exchanges the first two queries.",
          Undo::each},
         [](W& w, const A&) { w.swap(); }},
        {{"hide-caption", "", "Hides the caption of the example.", Undo::none},
         [](W& w, const A&) { w.hide_caption(); }},
        {{"play", "", "Plays the walk.", Undo::walk}, [](W& w, const A&) { w.play(); }},
        {{"pause", "", "Stops playing.", Undo::none}, [](W& w, const A&) { w.playback_.pause(); }},
        {{"toggle-play", "", "Plays, or stops playing.", Undo::walk},
         [](W& w, const A&) { w.playing() ? w.playback_.pause() : w.play(); }},
        {{"scrub", "POSITION", "Goes to a point between two steps, such as 3.5.", Undo::walk},
         [](W& w, const A& a) { w.walk_commands().scrub(a[0]); }},
        {{"show",
          "files|examples|reference|mask|folder|model|figure|features|help|about|palette|blank|"
          "nothing",
          "Opens a panel over the screen. folder: chooses the folder that the features panel "
          "searches. help: the manual. palette: all commands. blank: a black screen, until the "
          "next key or click.",
          Undo::none},
         [](W& w, const A& a) { w.show(a[0]); }},
        {{"cancel", "", "Stops the computation.", Undo::none}, [](W& w, const A&) { w.cancel(); }},
    };
    return table;
}

// ---- experiment

void Workspace::open(const std::string& path) {
    if (path.empty())
        throw CommandError(
            "open: expected the name of an image, a scene or a checkpoint, found nothing.");
    if (names_cached_model(path)) return open_model(path);
    if (is_checkpoint_name(path) && !is_folder(path))
        if (const auto tokens = tokens_at(whole_path(path), read_file_))
            return show_tokens(*tokens);
    if (is_image_folder(path)) return tell(look_at_folder(state_, path));
    if (is_folder(path) && !checkpoint_in(path))
        throw CommandError(why_no_checkpoint_in(path) + (list_folder(path).error.empty()
                                                             ? " There are no images in it either."
                                                             : ""));
    if (is_checkpoint_name(path) || is_folder(path)) return open_model(path);
    if (is_scene_name(path)) return open_scene(path);
    const Recipe before = state_.recipe;
    state_.recipe = picture_again(state_);
    state_.recipe.image = whole_path(path);
    state_.recipe.scene.reset();
    // The same name again after a failure: the file may exist now.
    if (state_.recipe == before && !computation_.shows(before)) request();
}

void Workspace::open_tokens(const std::string& path, const std::string& sample) {
    if (path.empty()) throw CommandError("tokens: expected the name of a file, found nothing.");
    TokenFile tokens = only_tokens_at(whole_path(path), read_file_);
    const int last = static_cast<int>(tokens.array().samples);
    tokens.sample = parse_ordinal("tokens", sample, last, "samples");
    show_tokens(tokens);
}

void Workspace::sample(const std::string& which) {
    if (gives_tokens(state_.recipe.tokens)) return token_commands().sample(which);
    recipe_commands().sample(which);
}

void Workspace::show_tokens(const TokenFile& tokens) {
    const Recipe before = state_.recipe;
    token_commands().file(tokens);
    if (state_.recipe == before && !computation_.shows(before)) request();
    if (const std::string how = said_of(tokens); !how.empty()) tell(how);
}

void Workspace::open_model(const std::string& path) {
    if (path.empty())
        throw CommandError("open-model: expected the name of a checkpoint, found nothing.");
    std::string file;
    try {
        file = find_model(path);
    } catch (const std::runtime_error& error) {
        throw CommandError(error.what());
    }
    use_model(whole_path(file));
}

// A model that has not been loaded may have token transformers before this layer.
void Workspace::look_at(const NamedLayer& layer) {
    Recipe& recipe = state_.recipe;
    recipe.layer = layer.index;
    named_layer_ = {layer, recipe};
    const Model* model = known_model(computation_.now(), recipe);
    if (model == nullptr) return;
    named_layer_.reset();
    recipe.layer = layer.nearest_in(*model);
    say_if_missing(layer, *model);
}

void Workspace::close_model() {
    if (!state_.recipe.weights.empty()) use_model("");
}

void Workspace::use_model(const std::string& file) {
    const Recipe before = state_.recipe;
    if (file == before.weights &&
        computation_.model_changed()) {  // repeats the experiment with the changed file
        ++state_.recipe.reading;
        return;
    }
    state_.recipe = with_model(before, file);
    if (is_cross(before) && !is_cross(state_.recipe)) look_at_tokens(state_.selection);
    if (state_.recipe == before && !computation_.shows(before)) request();
}

void Workspace::open_scene(const std::string& path) {
    if (path.empty())
        throw CommandError("open-scene: expected the name of a scene, found nothing.");
    try {
        scene_commands().look_at(scene_from_json(read_file_(path).bytes(), path));
    } catch (const std::exception& e) {  // SceneError, or an error of the reader
        throw CommandError(e.what());
    }
    remember(state_.recent, whole_path(path));
}

void Workspace::open_experiment(const std::string& path) {
    if (path.empty())
        throw CommandError("open-experiment: expected the name of a file, found nothing.");
    try {
        begin(load_experiment(whole_path(path), state_));
    } catch (const SessionError& error) {
        throw CommandError(error.what());
    }
}

void Workspace::open_reference(const std::string& path) {
    ++reference_reading_;  // the same name again: the file may have changed
    state_.reference = path.empty() ? "" : whole_path(path);
}

void Workspace::cancel() {
    ++cancels_;
    if (!computation_.busy_now()) return;
    computation_.cancel();
    // A model whose opening was stopped is not opened: the current one stays.
    const std::string file = state_.recipe.weights;
    take_back(&Recipe::weights);
    if (!file.empty() && file != state_.recipe.weights)
        return warn("Stopped: " + model_name(file) + " was not opened.");
    warn(trace() ? "Stopped: what is shown was computed before the last change."
                 : "Stopped before there was a result. Change a setting or open an image to "
                   "compute again.");
}

// ---- from the maps of all heads to Walk, and back

void Workspace::open_head(const std::string& layer, const std::string& head) {
    const Trace& trace = computed(this->trace().get());
    const Model& model = *trace.model;
    const int b = parse_layer("open-head", layer, model);
    const int heads = model.is_bare_layer()
                          ? trace.config.heads
                          : model.layers[static_cast<std::size_t>(b)].attention.heads;
    const int h = parse_ordinal("open-head", head, heads, "heads");
    const auto& steps = playback_.steps();
    if (std::ranges::find(steps, Step::softmax) != steps.end()) walk_commands().step("softmax");
    state_.recipe.layer = b;
    state_.selection.head = h;
    state_.selection.head_pinned = true;
    state_.selection.col.reset();  // it is a cell of another head
    state_.selection.shape.reset();
    const ScreenId from = std::exchange(state_.look.screen, ScreenId::walk);
    state_.selection.opened_from = from == ScreenId::look ? from : ScreenId::heads;
}

void Workspace::release() {
    Selection& s = state_.selection;
    const ScreenId screen = state_.look.screen;
    const bool back = s.opened_from && screen == ScreenId::walk && !s.shape && !s.col;
    if (!back)
        return walk_commands().release(screen != ScreenId::positions && screen != ScreenId::look);
    state_.look.screen = *s.opened_from;
    s.opened_from.reset();
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
    computed(trace().get());
    state_.pinned = trace_recipe();
}

void Workspace::unpin() {
    state_.pinned.reset();
    state_.look.compare = Compare::after;
}

void Workspace::compare(const std::string& what) {
    const auto chosen = static_cast<Compare>(parse_name("compare", what, names_of<Compare>()));
    if (chosen != Compare::after && !state_.pinned)
        throw CommandError("There is no baseline to compare with. Save one first (P).");
    state_.look.compare = chosen;
}

void Workspace::swap() {
    if (!state_.pinned && state_.look.screen == ScreenId::heads && !state_.selection.also.empty())
        return walk_commands().next_query();
    if (!state_.pinned)
        throw CommandError("There is no baseline to swap with. Save one first (P).");
    // A failed experiment cannot be saved as baseline.
    const bool failed = failed_at() && !computation_.busy_now() && trace();
    const Recipe present = failed ? trace_recipe() : state_.recipe;
    if (!has_input(present))
        throw CommandError("swap: expected a picture or tokens to save as baseline, found none.");
    if (gives_tokens(state_.pinned->tokens) && !gives_tokens(present.tokens))
        state_.on_picture = present;
    if (is_cross(present) != is_cross(*state_.pinned))
        is_cross(present) ? look_at_tokens(state_.selection) : look_across(state_.selection);
    state_.recipe = std::exchange(*state_.pinned, present);
}

// ---- playback and panels

void Workspace::play() {
    if (playing()) return;
    const Step before = state_.selection.step;
    playback_.play(state_.selection.step);
    play_recorded_ = state_.selection.step != before;  // a restart: the command's own undo step
}

void Workspace::show(const std::string& panel) {
    panel_ = static_cast<Panel>(parse_name("show", panel, names_of<Panel>()));
    if (panel_ != Panel::nothing) playback_.pause();  // nothing plays unseen behind it
}

}  // namespace headlight

#include "state/workspace.h"

#include <utility>

#include "disk/names.h"
#include "program/values.h"

namespace headlight {

namespace {

constexpr std::chrono::milliseconds kPatience{50};  // before progress is shown

}  // namespace

Workspace::Workspace(State initial, const FileReader& read_file, const std::function<void()>& wake)
    : state_(std::move(initial)),
      choice_(state_.selection),
      read_file_(read_file),
      worker_(read_file, wake),
      pinned_worker_(read_file, wake) {
    show_choice();
    request();
    request_pinned();
}

// ---- commands

bool Workspace::apply(const Command& command) {
    if (command == Command{}) return true;  // an empty line of a script
    try {
        perform(command);
    } catch (const CommandError& e) {
        refusal_ = {e.what(), true};
        return false;
    }
    refusal_ = Notice{};
    return true;
}

void Workspace::perform(const Command& command) {
    const Verb* verb = find_row(verbs(), command);
    if (verb == nullptr) throw CommandError("There is no command " + in_quotes(command.verb) + ".");
    const Undo undo = verb->undo;
    const State before = state_, chosen_before = chosen();
    verb->run(*this, command.args);
    if (undo != Undo::itself) choice_.change(before.selection, state_.selection, trace_in_view());
    // What was wrong is right again, or was taken back: nothing will be computed that could say so.
    const bool chooses = undo == Undo::each || undo == Undo::gesture;
    if (chooses && trace_ && state_.recipe == trace_recipe_ && notice_.is_error) notice_ = Notice{};
    const bool recorded = undo != Undo::none && undo != Undo::itself;
    if (!recorded || same_choices(before, state_)) return;

    std::string label;
    if (undo == Undo::walk) label = "walk";
    if (undo == Undo::gesture) label = command.verb + " " + command.args.front();
    history_.record(chosen_before, label);
    after_change(before);
}

void Workspace::after_change(const State& before) {
    if (!(state_.recipe == before.recipe)) request();
    if (state_.pinned != before.pinned) request_pinned();
    show_choice();  // in what is in view by now
}

void Workspace::end_gesture() { history_.break_chain(); }

void Workspace::dismiss_notice() {
    // Not `(a ? b : c) = {}`: GCC 12 fills the string with zero bytes there.
    Notice& shown = refusal_.text.empty() ? notice_ : refusal_;
    shown = Notice{};
}

void Workspace::warn(std::string text) {
    notice_ = {std::move(text), true};
    refusal_ = {};
}

void Workspace::tell(std::string text) {
    notice_ = {std::move(text), false};
    refusal_ = {};
}

void Workspace::go_to(State next) {
    const State before = std::exchange(state_, std::move(next));
    state_.recent = before.recent;  // lists of what there is, not choices
    state_.recent_models = before.recent_models;
    playback_.rest();
    choice_ = Choice(state_.selection);
    if (trace_ && state_.recipe == trace_recipe_) choice_.arrive(*trace_);
    show_choice();
    if (!(state_.recipe == before.recipe)) request();
    request_pinned();
    show_choice();
}

State Workspace::chosen() const {
    State state = state_;
    state.selection = choice_.selection();
    return state;
}

const Trace* Workspace::trace_in_view() const {
    const bool before = state_.look.compare == Compare::before && pinned_trace_;
    return before ? pinned_trace_.get() : trace_.get();
}

void Workspace::show_choice() {
    const std::size_t shapes = state_.recipe.scene ? state_.recipe.scene->shapes.size() : 0;
    if (const auto& shape = choice_.selection().shape;
        shape && std::cmp_greater_equal(*shape, shapes))
        choice_.forget_shape();
    const Trace* trace = trace_in_view();
    if (trace != nullptr) playback_.walk(trace->steps());
    state_.selection = trace != nullptr ? choice_.in(*trace) : choice_.selection();
}

// ---- computation

void Workspace::request() {
    if (state_.recipe.weights != requested_.weights ||
        state_.recipe.reading != requested_.reading) {
        opened_model_ = describe_file(state_.recipe.weights);
        told_of_change_ = false;
    }
    requested_ = state_.recipe;
    notice_outlives_run_ = false;
    if (has_picture(requested_)) return worker_.request(requested_);
    worker_.cancel();
    trace_.reset();
    summary_.reset();  // no picture, nothing to show
}

void Workspace::request_pinned() {
    if (!state_.pinned) {
        pinned_trace_.reset();
        pinned_summary_.reset();
        pinned_worker_.cancel();
        return;
    }
    const Recipe& wanted = *state_.pinned;
    if (pinned_trace_ && pinned_trace_recipe_ == wanted) return;
    if (trace_ && trace_recipe_ == wanted) {
        pinned_trace_ = trace_;
        pinned_summary_ = summary_;
        pinned_trace_recipe_ = wanted;
        return;
    }
    pinned_trace_.reset();
    pinned_summary_.reset();
    if (pinned_worker_.busy() && pinned_requested_ == wanted) return;
    pinned_requested_ = wanted;
    pinned_worker_.request(wanted);
}

bool Workspace::busy() const { return worker_.busy() || pinned_worker_.busy(); }
bool Workspace::show_progress() const { return worker_.running_for() > kPatience; }
float Workspace::progress() const { return worker_.progress(); }

bool Workspace::update(double seconds) {
    const bool was_playing = playing();
    const bool main_news = take_finished(), pinned_news = take_pinned();
    play_on(seconds);
    return was_playing || main_news || pinned_news;
}

// A file that is gone shows nothing else.
bool Workspace::model_changed() const {
    if (state_.recipe.weights.empty()) return false;
    const DirectoryEntry now = describe_file(state_.recipe.weights);
    const bool there = now.written != DirectoryEntry().written;
    return there && (now.bytes != opened_model_.bytes || now.written != opened_model_.written);
}

bool Workspace::look_after_model() {
    if (busy() || !trace_ || told_of_change_ || !model_changed()) return false;
    told_of_change_ = true;
    warn(
        model_name(state_.recipe.weights) +
        " has changed on the disk. What is shown is what it was; open it again to see what it is.");
    return true;
}

bool Workspace::take_finished() {
    bool news = false;
    while (const std::optional<Finished> finished = worker_.poll()) {
        news = true;
        if (finished->trace) {
            accept(*finished);
        } else if (!finished->cancelled) {
            explain(*finished);
        }
    }
    return news;
}

void Workspace::accept(const Finished& finished) {
    if (!has_picture(state_.recipe)) return;  // undone before it arrived
    failed_at_.reset();
    const bool first = trace_ == nullptr;
    const bool present = finished.recipe == state_.recipe;
    trace_ = finished.trace;
    summary_ = finished.summary;
    trace_recipe_ = finished.recipe;
    if (!finished.recipe.scene) remember(state_.recent, finished.recipe.image);
    remember(state_.recent_models, finished.recipe.weights);
    if (present) choice_.arrive(*trace_);
    show_choice();
    if (first && !state_.selection.token) look_at_middle();
    if (!present) return;
    if (notice_.is_error && !std::exchange(notice_outlives_run_, false)) notice_ = {};
}

void Workspace::look_at_middle() {
    const Selection before = state_.selection;
    Selection& s = state_.selection;
    const Selection middle = first_selection(trace_->grid.cols, trace_->grid.rows,
                                             static_cast<int>(trace_->layout.prefix()));
    s.token = middle.token;
    s.col = middle.col;
    s.col_axis = middle.col_axis;
    if (state_.recipe.scene) focus_on_twins();
    choice_.change(before, s, trace_.get());
    show_choice();
}

void Workspace::explain(const Finished& failed) {
    if (!(failed.recipe == requested_)) return;  // the newer one will speak for itself
    failed_at_ = failed.failed_at;
    take_back_file(failed);
    const bool image = failed.failed_at == Step::image;
    warn(failed.error + (image && trace_ ? " Ctrl+O opens another." : ""));
}

// A file that cannot be used is no choice. Everything else (heads that do not divide the channels)
// stays as the person set it.
void Workspace::take_back_file(const Finished& failed) {
    if (failed.failed_at == Step::image && !state_.recipe.scene) take_back(&Recipe::image);
    if (failed.failed_at == Step::qkv) take_back(&Recipe::weights);
}

// What was before the file comes back, and undo forgets it.
void Workspace::take_back(std::string Recipe::*file) {
    const std::string bad = state_.recipe.*file;
    const bool is_image = file == &Recipe::image;
    const bool read_before = !is_image || !trace_recipe_.scene;  // beside a scene it is not read
    if (!trace_ || (bad == trace_recipe_.*file && read_before)) return;
    const auto correct = [&](Recipe& recipe) {
        if (recipe.*file != bad) return;
        if (!is_image) {
            recipe = with_model_of(recipe, trace_recipe_);
            return;
        }
        recipe.image = trace_recipe_.image;
        if (!recipe.scene) recipe.scene = trace_recipe_.scene;
    };
    correct(state_.recipe);
    history_.amend([&](State& state) { correct(state.recipe); }, chosen());
    requested_ = state_.recipe;
    if (requested_ == trace_recipe_) return;
    request();  // the other choices since the last trace
    notice_outlives_run_ = true;
}

bool Workspace::take_pinned() {
    bool news = false;
    while (const std::optional<Finished> finished = pinned_worker_.poll()) {
        if (!state_.pinned || !(finished->recipe == *state_.pinned) || pinned_trace_) continue;
        news = true;
        if (finished->trace) {
            pinned_trace_ = finished->trace;
            pinned_summary_ = finished->summary;
            pinned_trace_recipe_ = finished->recipe;
            show_choice();
        } else if (!finished->cancelled) {
            state_.pinned.reset();
            state_.look.compare = Compare::now;
            show_choice();
            warn("The result kept before cannot be computed again: " + finished->error);
        }
    }
    return news;
}

// ---- playback

void Workspace::play_on(double seconds) {
    if (!playing()) return;
    const State before = chosen();
    const Selection shown = state_.selection;
    if (!playback_.advance(seconds, state_.look, state_.selection.step)) return;
    choice_.change(shown, state_.selection, trace_in_view());
    if (!std::exchange(play_recorded_, true)) history_.record(before, "walk");
}

}  // namespace headlight

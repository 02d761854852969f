#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "state/choice.h"
#include "state/command_table.h"
#include "state/computation.h"
#include "state/history.h"
#include "state/named_layer.h"
#include "state/playback.h"
#include "state/recipe_commands.h"
#include "state/reference_study.h"
#include "state/region_commands.h"
#include "state/scene_commands.h"
#include "state/state.h"
#include "state/token_commands.h"
#include "state/walk_commands.h"

namespace headlight {

enum class Panel {
    nothing,
    files,
    examples,
    reference,
    mask,
    folder,
    model,
    figure,
    features,
    help,
    about,
    palette,
    blank
};
template <>
inline constexpr auto kNames<Panel> = std::to_array<std::string_view>(
    {"nothing", "files", "examples", "reference", "mask", "folder", "model", "figure", "features",
     "help", "about", "palette", "blank"});

// Whether the panel chooses a file or a folder.
inline bool is_file_browser(Panel panel) {
    return panel == Panel::files || panel == Panel::examples || panel == Panel::reference ||
           panel == Panel::mask || panel == Panel::folder;
}

// A message to the user, shown until it is dismissed or outdated.
struct Notice {
    std::string text;
    bool is_error = false;
};

// The caption of an example, shown as long as what it opened.
struct ExampleCaption {
    std::string title, words, tried;
};

// The program without its window: state, history, computation and playback, all driven by commands.
// Single-threaded.
class Workspace {
  public:
    // `wake` may be called from another thread, to request an update(). `read_file` is called from
    // this thread and two others.
    Workspace(State initial, const FileReader& read_file, const std::function<void()>& wake,
              const Pace& pace = {});

    // All commands that apply() understands by itself.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }
    // These and the commands that others have registered.
    CommandTable& command_table() { return command_table_; }
    [[nodiscard]] const CommandTable& command_table() const { return command_table_; }
    // Executes the command. Returns false if it failed; notice() then gives the reason and nothing
    // has changed.
    bool apply(const Command& command);
    // Replaces the state, except for the lists of recent files.
    void begin(State next);
    // The same for a state without a selected token: the first result selects one.
    void begin_first_look(State next);
    // As begin(), but changes until end_setup() are no undo steps.
    void begin_setup(State next);
    void end_setup() { sets_up_ = false; }
    // Takes the history and leaves an empty one; a lesson restores it later.
    History take_history() { return std::exchange(history_, {}); }
    void put_history(History history) { history_ = std::move(history); }
    void remember_lesson(const std::string& file, int stop);
    void remember_lesson(const std::string& file, const LessonMark& mark);
    void end_gesture();  // ends a drag: the next change is a new undo step
    // Until end_group(), all changes are one undo step. take_back_group() reverts them and shows
    // the reason, if there is one.
    void begin_group();
    void end_group();
    void take_back_group(const std::string& why = {});

    // Takes finished work and advances playback by `seconds`. True when there is something new to
    // draw.
    bool update(double seconds);
    // Whether the model's file has changed since it was opened; if so, notice() says it once.
    // Accesses the disk, so call it only now and then.
    bool look_after_model();

    [[nodiscard]] const State& state() const { return state_; }
    // The state with everything that the user selected, even what the current trace cannot show.
    // This is what to save.
    [[nodiscard]] State chosen() const;
    // Null before the first result, and where there is no picture. state().selection is valid for
    // its rows, columns and heads, even if the recipe has changed since. While A is shown, it is
    // A's trace.
    [[nodiscard]] const std::shared_ptr<const Trace>& trace() const {
        return computation_.now().trace;
    }
    [[nodiscard]] const std::shared_ptr<const Trace>& pinned_trace() const {
        return computation_.pinned().trace;
    }
    // The statistics of the trace's matrices; null exactly when the trace is null.
    [[nodiscard]] const std::shared_ptr<const Summary>& summary() const {
        return computation_.now().summary;
    }
    [[nodiscard]] const std::shared_ptr<const Summary>& pinned_summary() const {
        return computation_.pinned().summary;
    }
    // False while what follows the selected layer is still being computed: its nodes are in the
    // trace, but not its results.
    [[nodiscard]] bool complete() const { return computation_.now().complete; }
    // The recipe that trace() was computed with.
    [[nodiscard]] const Recipe& trace_recipe() const { return computation_.now().recipe; }
    // The comparison of that trace with the reference, or why there is none; null without a
    // reference, or before the comparison is done.
    [[nodiscard]] const ReferenceStudent::Said* reference() const {
        return held_ && held_->question.file == state_.reference ? held_.get() : nullptr;
    }
    // The step at which the last computation failed; empty if it succeeded.
    [[nodiscard]] std::optional<Step> failed_at() const { return computation_.failed_at(); }

    // Whether something is being computed or waits; and whether it has for more than 50 ms.
    [[nodiscard]] bool busy() const { return computation_.busy() || awaits_reference(); }
    [[nodiscard]] bool show_progress() const { return computation_.show_progress(); }
    [[nodiscard]] float progress() const { return computation_.progress(); }
    // The number of cancellations; background measurements stop with them.
    [[nodiscard]] int cancels() const { return cancels_; }

    // The steps of Walk: those of the current trace, or of a bare layer before the first.
    [[nodiscard]] const std::vector<Step>& steps() const { return playback_.steps(); }
    [[nodiscard]] bool playing() const { return playback_.playing(); }
    // Phase of the current step's animation, 0..1; 1 at rest.
    [[nodiscard]] double phase() const { return playback_.phase(); }
    [[nodiscard]] Panel panel() const { return panel_; }
    // The error of the last command, or else the outcome of the computation.
    [[nodiscard]] const Notice& notice() const {
        return refusal_.text.empty() ? notice_ : refusal_;
    }
    void dismiss_notice();
    void warn(std::string text);
    void tell(std::string text);  // shows a success message
    // Shown until it is dismissed, or another picture, model or kind of tokens appears.
    void show_caption(ExampleCaption caption);
    void hide_caption() { caption_.reset(); }
    [[nodiscard]] const ExampleCaption* caption() const;

    [[nodiscard]] bool can_undo() const { return history_.can_undo(); }
    [[nodiscard]] bool can_redo() const { return history_.can_redo(); }
    void quit() { quit_ = true; }
    [[nodiscard]] bool wants_quit() const { return quit_; }

  private:
    using Args = CommandArgs;
    using Verb = CommandRow<Workspace>;
    // One row each, in workspace_verbs.cpp.
    static const std::vector<Verb>& verbs();

    // Commands on files, the history and the open files; the others are in classes by subject.
    void open(const std::string& path);
    void open_scene(const std::string& path);
    void open_experiment(const std::string& path);
    void open_model(const std::string& path);
    void open_tokens(const std::string& path, const std::string& sample);
    void sample(const std::string& which);
    void show_tokens(const TokenFile& tokens);
    void open_reference(const std::string& path);  // "" closes it
    void use_model(const std::string& file);       // "": none
    void look_at(const NamedLayer& layer);
    void close_model();
    void cancel();
    void open_head(const std::string& layer, const std::string& head);
    void release();
    void undo();
    void redo();
    void pin();
    void unpin();
    void compare(const std::string& what);
    void swap();
    void play();
    void show(const std::string& panel);
    RecipeCommands recipe_commands() { return {state_, computation_.now()}; }
    SceneCommands scene_commands() { return {state_, trace().get()}; }
    TokenCommands token_commands() { return TokenCommands(state_); }
    RegionCommands region_commands() { return {state_.region, trace_in_view()}; }
    WalkCommands walk_commands() { return {state_.selection, playback_, trace_in_view()}; }

    void perform(const Verb& verb, const Command& command);  // throws CommandError
    void record(const State& before, const std::string& label);
    void after_change(const State& before);
    void swap_results(const State& before);
    void go_to(State next);  // after a state change without a command: undo, redo
    void request();
    [[nodiscard]] Worker::Seen seen() const;
    void show_choice();
    [[nodiscard]] const Trace* trace_in_view() const;  // A's while A is shown

    // Processes the outcome of the request.
    bool take_finished();
    bool take_pinned();
    [[nodiscard]] std::optional<ReferenceQuestion> question_of_reference() const;
    [[nodiscard]] bool awaits_reference() const;
    bool take_reference();
    void accept(const Finished& finished);
    void say_warnings(const std::vector<std::string>& warnings);
    void look_at_middle();
    bool open_on_picture(const Finished& failed);
    [[nodiscard]] bool names_layer_of(const Recipe& recipe) const;
    bool open_at_last_layer(const Finished& failed);
    void look_at_nearest(const NamedLayer& layer, const Recipe& asked, const Model& model);
    void say_if_missing(const NamedLayer& layer, const Model& model);
    void explain(const Finished& failed);
    void take_back_file(const Finished& failed);
    void take_back(std::string Recipe::*file);
    void take_back_tokens(const TokenSource& bad);
    void play_on(double seconds);

    CommandTable command_table_;
    State state_;  // its selection is the part of choice_ that the trace can show
    Choice choice_;
    History history_;
    Playback playback_;
    bool play_recorded_ = false;  // this playback already has its undo step
    std::optional<State> before_group_;
    Recipe with_own_model_;  // of the last group, if it opened an image together with a model
    bool quit_ = false;
    int cancels_ = 0;
    Panel panel_ = Panel::nothing;
    std::optional<ExampleCaption> caption_;
    Recipe caption_of_;  // what was shown when the caption appeared
    Notice notice_;
    Notice refusal_;                    // of a command: hides notice_ until the next successful one
    bool notice_outlives_run_ = false;  // the current run follows a failure that notice_ explains
    // The current state is complete: do not select a token when its result arrives.
    bool is_whole_ = false;
    bool is_first_look_ = false;  // the current state began without a selected token
    bool sets_up_ = false;        // changes are no undo steps
    // The layer that open-model named, and the recipe made from it before the model was loaded.
    std::optional<std::pair<NamedLayer, Recipe>> named_layer_;
    FileReader read_file_;
    std::function<void()> wake_;
    Computation computation_;
    int reference_reading_ = 0;  // a new number reads the file again
    int told_of_reading_ = 0;    // the reading whose error was already shown
    std::shared_ptr<const ReferenceStudent::Said> held_;
    std::unique_ptr<ReferenceStudent> references_;  // created with the first reference
};

}  // namespace headlight

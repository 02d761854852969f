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
    model,
    figure,
    features,
    help,
    about,
    palette,
    blank
};
template <>
inline constexpr auto kNames<Panel> =
    std::to_array<std::string_view>({"nothing", "files", "examples", "reference", "mask", "model",
                                     "figure", "features", "help", "about", "palette", "blank"});

// Panels in which a file is chosen.
inline bool is_file_browser(Panel panel) {
    return panel == Panel::files || panel == Panel::examples || panel == Panel::reference ||
           panel == Panel::mask;
}

// A sentence for the person, shown until dismissed or outdated.
struct Notice {
    std::string text;
    bool is_error = false;
};

// What an example says of itself as long as what it opened is shown.
struct ExampleCaption {
    std::string title, words, tried;
};

// The program without its window: state, history, computation and playback, all driven by commands.
// Used from one thread.
class Workspace {
  public:
    // `wake` may be called from another thread: "call update() soon". `read_file` is called from
    // this one and two others.
    Workspace(State initial, const FileReader& read_file, const std::function<void()>& wake,
              const Pace& pace = {});

    // All that apply() understands.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }
    // These and those of others, who register theirs there.
    CommandTable& command_table() { return command_table_; }
    [[nodiscard]] const CommandTable& command_table() const { return command_table_; }
    // Does what the command says. False when it could not: then notice() says why and nothing
    // changed.
    bool apply(const Command& command);
    // Goes on with another state; the lists of recent files stay.
    void begin(State next);
    // The same with a state without a chosen token: the first result chooses one.
    void begin_first_look(State next);
    // The same as begin(), and until end_setup() no change is an undo step of the person's.
    void begin_setup(State next);
    void end_setup() { sets_up_ = false; }
    // Leaves nothing to undo or redo; a lesson puts back what it has taken.
    History take_history() { return std::exchange(history_, {}); }
    void put_history(History history) { history_ = std::move(history); }
    void remember_lesson(const std::string& file, int stop);
    void remember_lesson(const std::string& file, const LessonMark& mark);
    void end_gesture();  // a drag is over: the next change is a new undo step
    // Until end_group(), all changes are one undo step; take_back_group() ends it without them and
    // says why, where there is a reason.
    void begin_group();
    void end_group();
    void take_back_group(const std::string& why = {});

    // Takes finished work and moves playback on by `seconds`. True when there is something new to
    // draw.
    bool update(double seconds);
    // Whether the model's file turns out to be another than was opened, which notice() then says,
    // once. Asks the disk: call it now and then.
    bool look_after_model();

    [[nodiscard]] const State& state() const { return state_; }
    // The same with all that the person chose to look at, also what the trace in view cannot show:
    // what is worth keeping.
    [[nodiscard]] State chosen() const;
    // Null before the first, and where there is no picture. Its rows, columns and heads hold
    // state().selection, whatever the recipe says by now; while A is looked at, A's do.
    [[nodiscard]] const std::shared_ptr<const Trace>& trace() const {
        return computation_.now().trace;
    }
    [[nodiscard]] const std::shared_ptr<const Trace>& pinned_trace() const {
        return computation_.pinned().trace;
    }
    // Their matrices' statistics; null exactly when the trace is.
    [[nodiscard]] const std::shared_ptr<const Summary>& summary() const {
        return computation_.now().summary;
    }
    [[nodiscard]] const std::shared_ptr<const Summary>& pinned_summary() const {
        return computation_.pinned().summary;
    }
    // False while what follows the layer looked at is still being computed: its nodes are in the
    // trace, its results are not.
    [[nodiscard]] bool complete() const { return computation_.now().complete; }
    // That trace() was made by.
    [[nodiscard]] const Recipe& trace_recipe() const { return computation_.now().recipe; }
    // That trace against the reference, or why not; null where there is none, or not yet.
    [[nodiscard]] const ReferenceStudent::Said* reference() const {
        return held_ && held_->question.file == state_.reference ? held_.get() : nullptr;
    }
    // The step that the last computation broke off at; nothing when it succeeded.
    [[nodiscard]] std::optional<Step> failed_at() const { return computation_.failed_at(); }

    // Something is being computed or waits to be; and has been for more than 50 ms.
    [[nodiscard]] bool busy() const { return computation_.busy() || awaits_reference(); }
    [[nodiscard]] bool show_progress() const { return computation_.show_progress(); }
    [[nodiscard]] float progress() const { return computation_.progress(); }
    // How often it was said to stop: what is measured beside the computation stops then too.
    [[nodiscard]] int cancels() const { return cancels_; }

    // Of the walk: those of the trace in view, or of a bare layer before the first.
    [[nodiscard]] const std::vector<Step>& steps() const { return playback_.steps(); }
    [[nodiscard]] bool playing() const { return playback_.playing(); }
    // Of the present step's motion, 0..1; 1 at rest.
    [[nodiscard]] double phase() const { return playback_.phase(); }
    [[nodiscard]] Panel panel() const { return panel_; }
    // What is wrong with the last command; else what became of the computation.
    [[nodiscard]] const Notice& notice() const {
        return refusal_.text.empty() ? notice_ : refusal_;
    }
    void dismiss_notice();
    void warn(std::string text);
    void tell(std::string text);  // good news
    // Shown from now on, until it is hidden or another picture, model or kind of tokens is.
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
    // One row each: workspace_verbs.cpp.
    static const std::vector<Verb>& verbs();

    // On files, on the history, on what is open; the others' functions stand apart, by subject.
    void open(const std::string& path);
    void open_scene(const std::string& path);
    void open_experiment(const std::string& path);
    void open_model(const std::string& path);
    void open_tokens(const std::string& path, const std::string& sample);
    void sample(const std::string& which);
    void show_tokens(const TokenFile& tokens);
    void open_reference(const std::string& path);  // "": none
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
    void go_to(State next);  // state changed from outside a command: undo, redo
    void request();
    [[nodiscard]] Worker::Seen seen() const;
    void show_choice();
    [[nodiscard]] const Trace* trace_in_view() const;  // A's, where that is looked at

    // What became of what was requested.
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
    State state_;  // its selection is what the trace in view can show of choice_
    Choice choice_;
    History history_;
    Playback playback_;
    bool play_recorded_ = false;  // this playing has its undo step
    std::optional<State> before_group_;
    bool quit_ = false;
    int cancels_ = 0;
    Panel panel_ = Panel::nothing;
    std::optional<ExampleCaption> caption_;
    Recipe caption_of_;  // what was shown when it began
    Notice notice_;
    Notice refusal_;                    // of a command: shown over notice_ until the next good one
    bool notice_outlives_run_ = false;  // the run under way follows a failure that notice_ explains
    // The state under way was begun as it is: no token is chosen for the person when it arrives.
    bool is_whole_ = false;
    bool is_first_look_ = false;  // the state under way was begun without a chosen token
    bool sets_up_ = false;        // changes are not undo steps
    // What open-model named, and the recipe that it made: whose model was not read yet.
    std::optional<std::pair<NamedLayer, Recipe>> named_layer_;
    FileReader read_file_;
    std::function<void()> wake_;
    Computation computation_;
    int reference_reading_ = 0;  // another number reads the file again
    int told_of_reading_ = 0;    // for which it was said what is wrong with it
    std::shared_ptr<const ReferenceStudent::Said> held_;
    std::unique_ptr<ReferenceStudent> references_;  // made with the first reference
};

}  // namespace headlight

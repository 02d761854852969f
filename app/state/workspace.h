#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "state/command.h"
#include "state/history.h"
#include "state/state.h"
#include "state/worker.h"

namespace headlight {

enum class Panel { nothing, files, help, about };

// A sentence for the person, shown until dismissed or outdated.
struct Notice {
    std::string text;
    bool is_error = false;
};

// The program without its window: state, history, computation and playback, all driven by commands.
// Used from one thread.
class Workspace {
  public:
    // `wake` may be called from another thread: "call update() soon".
    Workspace(State initial, FileReader read_file, std::function<void()> wake);

    // Does what the command says. False when it could not: then notice() says why and nothing
    // changed.
    bool apply(const Command& command);
    void end_gesture();  // a drag is over: the next change is a new undo step

    // Takes finished work and moves playback on by `seconds`. True when there is something new to
    // draw.
    bool update(double seconds);

    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] const std::shared_ptr<const Trace>& trace() const {
        return trace_;
    }  // null before the first
    [[nodiscard]] const std::shared_ptr<const Trace>& pinned_trace() const { return pinned_trace_; }
    [[nodiscard]] const Recipe& trace_recipe() const {
        return trace_recipe_;
    }  // that trace() was made by

    [[nodiscard]] bool busy() const;           // something is being computed or waits to be
    [[nodiscard]] bool show_progress() const;  // and has been for more than 50 ms
    [[nodiscard]] float progress() const;

    [[nodiscard]] bool playing() const { return playing_; }
    [[nodiscard]] double phase() const {
        return phase_;
    }  // of the present step's motion, 0..1; 1 at rest
    [[nodiscard]] Panel panel() const { return panel_; }
    [[nodiscard]] const Notice& notice() const { return notice_; }
    void dismiss_notice() { notice_ = {}; }
    void warn(std::string text) { notice_ = {std::move(text), true}; }

    [[nodiscard]] bool can_undo() const { return history_.can_undo(); }
    [[nodiscard]] bool can_redo() const { return history_.can_redo(); }
    void quit() { quit_ = true; }
    [[nodiscard]] bool wants_quit() const { return quit_; }

  private:
    void perform(const Command& command);  // throws CommandError
    void go_to(State next);                // state changed from outside a command: undo, redo
    void request();
    void take_finished();
    void play_on(double seconds);
    void keep_selection_inside();

    State state_;
    History history_;
    std::shared_ptr<const Trace> trace_, pinned_trace_;
    Recipe trace_recipe_;
    Recipe requested_;
    bool has_requested_ = false;
    bool playing_ = false, quit_ = false;
    double phase_ = 1.0;
    Panel panel_ = Panel::nothing;
    Notice notice_;
    Worker worker_;
    Worker pinned_worker_;  // recomputes A after a session was restored or an undo brought it back
};

// Positions within a step at which `stop next` rests, ascending, the last one 1.
const std::vector<double>& stops_of(Step step);

}  // namespace headlight

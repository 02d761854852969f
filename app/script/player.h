#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "application/application.h"
#include "lessons/evaluate.h"
#include "script/monkey.h"
#include "state/examples.h"
#include "ui/drawn.h"

namespace headlight::app {

// Plays a script, one command per line. Commands belong to the program, to the screenshot runner
// that drives the player, or are only for scripts: input, checks, and time. Widgets are named as in
// the
// views; "stage.result[45,62]" is the middle of a cell.
//
// `open`, `set image` and `set weights` wait for the result and fail if it cannot be shown.
// `export` and
// `copy` fail if nothing was written. A failing `drop` only shows a notice, as for a user. A later
// line
// may fix settings that cannot be computed. Otherwise the first line that shows or writes results
// fails, or the end of the script does; the error names the line that set them.
//
// Every line first waits until the screen is at rest; an animation in playback is paused meanwhile.
// Time is counted in frames, so a script gives the same result on every machine.
//
// File names are relative to the script's folder if the file exists there, otherwise to the working
// folder. A requested example (Application::take_example) is played before the next line, as a
// single
// undo step.
//
// The player itself never waits and knows no window: its caller drives it frame by frame.
class Player {
  public:
    // `name`: the script's, for error messages. `out` receives printed text.
    Player(Application& app, const std::string& name, std::string_view script, std::ostream& out);
    ~Player() { app_.work().command_table().take_out(this); }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    // The commands for scripts, in addition to those of the program and the screenshot runner.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }

    enum class Wants {
        frame,    // draw one with input(), lasting seconds()
        news,     // wait: something is being computed
        nothing,  // the script has ended
        help,     // it failed: see failure()
    };
    // Runs as far as possible without a frame or a finished computation, and returns what it needs.
    Wants advance();

    [[nodiscard]] Input& input() { return input_; }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] const std::string& failure() const { return failure_; }  // "FILE:LINE: sentence"
    // The undo history before the example being played; empty if the example has opened a lesson,
    // which has its own history.
    [[nodiscard]] std::optional<History>& history_before() { return history_before_; }

  private:
    using Args = CommandArgs;
    using Clock = std::chrono::steady_clock;
    using Verb = CommandRow<Player>;
    static const std::vector<Verb>& verbs();

    // What must be finished before an act: nothing; the effects of input (a few frames); the
    // computation as well; or the computation, but a slow one may be stopped instead.
    enum class After { nothing, rest, computation, patience };
    struct Act {
        After after;
        std::function<void()> go;
    };
    void then(After after, std::function<void()> go) { fresh_.push_back({after, std::move(go)}); }
    void then_frame(double seconds);
    // A line of the script, or of an example that it requested.
    struct Line {
        std::string text;
        std::string source;  // file name
        int number = 0;      // from 1
        bool of_example = false;
    };
    void add_lines(std::string_view text, const std::string& source, bool of_example);
    bool begin_line();  // false if there is none
    void begin_example(const Example& example);
    bool gives_way();  // drops the rest of an example after a jump
    void end_example();
    void note_trouble();
    void raise_trouble();
    [[nodiscard]] Command beside_script(Command command) const;
    void begin_monkey_line();
    void go_on();
    [[nodiscard]] std::optional<Wants> wanted_before(After after);
    [[nodiscard]] bool wait_for_computation(After after);
    void wait_for_studies();
    void when_all_is_shown(const std::function<void()>& go);
    bool excused(const std::exception& error);
    void say(const Command& command);
    std::optional<Command> drawer_for(const Command& command);

    [[nodiscard]] ui::Rect area(const std::string& name) const;
    [[nodiscard]] ImVec2 place(const std::string& name) const;
    [[nodiscard]] std::string reported(const std::string& name) const;
    [[nodiscard]] lessons::Value measured(const std::string& expression) const;

    void point(ImVec2 at);
    void button(bool down);
    void click(const std::string& name);
    void drag(const Args& args);
    void key(const std::string& name);
    void type(const std::string& text);
    void wait(const Args& args);
    void wait_on(int frames, bool until_rest);
    void expect(const std::string& name, const std::string& value);
    void read_texts(const Args& place, const std::function<void(const std::string&)>& read);
    void monkey(int lines, std::uint64_t seed);

    Application& app_;
    std::deque<Line> lines_;
    Line line_;  // being played
    std::optional<History> history_before_;
    std::string example_;  // title of the example being played
    ExampleCaption caption_;
    long elsewhere_ = 0;  // Application::elsewhere() at the example's last step
    struct Trouble {
        Line line;
        std::string why;
    };
    std::optional<Trouble> trouble_;     // a failed computation and the line that caused it
    std::optional<Recipe> failed_with_;  // the settings that failed last
    bool ended_ = false;                 // the check at the end has been made
    std::ostream& out_;
    bool tried_ = false;                   // if it is refused, the script continues
    std::set<std::string> tried_drawers_;  // drawers opened to find the widget that it names
    bool drops_ = false;                   // its file may be invalid
    std::deque<Act> acts_;                 // remaining acts of the line
    std::vector<Act> fresh_;               // added by the current act, to be done before the others
    std::optional<double> held_;           // draws a frame of this many seconds first
    std::optional<Clock::time_point> waits_since_;    // waiting for a computation
    std::optional<Clock::time_point> studies_since_;  // waiting for background studies
    std::optional<Monkey> monkey_;
    int monkey_lines_ = 0;
    Input input_;
    ui::Recording recording_;
    double seconds_ = 0;
    std::string failure_;
};

}  // namespace headlight::app

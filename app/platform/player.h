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

#include "lessons/evaluate.h"
#include "platform/application.h"
#include "platform/monkey.h"
#include "state/examples.h"
#include "ui/drawn.h"

namespace headlight::platform {

// Plays a script to the program: one line, one command, of the program, of the screenshot runner
// that pumps the player, or of those that only a script needs: what hands do, what is seen, and
// time. Places are named as the views name them, "stage.result[45,62]" being the middle of a cell.
//
// `open`, `set image` and `set weights` wait for what comes of their file and fail where that
// cannot be shown, `export` and `copy` fail where nothing was written; a `drop` fails as before a
// person, with a notice. Settings that cannot be computed may be put right by a later line; else
// the first line that shows or writes results fails, or the end of the script does, in the name of
// the line that set them.
//
// Every line first lets the screen come to rest, as a patient person would; motion that is playing
// stands still meanwhile. Time is counted in frames, so a script does the same on every machine.
//
// Names of files count from the script's own folder where there is such a file, else from the
// working folder. What is asked for as an example (Application::take_example) is played before the
// next line, and all of it is one change, which one undo takes back.
//
// The player waits for nothing itself and knows no window: it is pumped, frame by frame.
class Player {
  public:
    // `name` is the script's, for failures; what is printed goes to `out`.
    Player(Application& app, const std::string& name, std::string_view script, std::ostream& out);
    ~Player() { app_.work().command_table().take_out(this); }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    // What scripts say besides the commands of the program and the screenshot runner.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }

    enum class Wants {
        frame,    // one is to be drawn, with input() and as long as seconds()
        news,     // something is being computed: there is nothing to do until that is over
        nothing,  // the script is at its end
        help,     // it cannot go on: see failure()
    };
    // Goes on as far as it can without a frame or news, and says what it wants then.
    Wants advance();

    [[nodiscard]] Input& input() { return input_; }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] const std::string& failure() const { return failure_; }  // "FILE:LINE: sentence"
    // What there was to undo and redo before the example that is being played; nothing where that
    // has opened a lesson, which has a history of its own.
    [[nodiscard]] std::optional<History>& history_before() { return history_before_; }

  private:
    using Args = CommandArgs;
    using Clock = std::chrono::steady_clock;
    using Verb = CommandRow<Player>;
    static const std::vector<Verb>& verbs();

    // What is to be done, and what has to be over before: nothing, what hands did (seen in a few
    // frames), the computation too; of a computation that takes long it may be stopped instead.
    enum class After { nothing, rest, computation, patience };
    struct Act {
        After after;
        std::function<void()> go;
    };
    void then(After after, std::function<void()> go) { fresh_.push_back({after, std::move(go)}); }
    void then_frame(double seconds);
    // A line of the script, or of an example that it asked for.
    struct Line {
        std::string text;
        std::string source;  // the file's name
        int number = 0;      // from 1
        bool of_example = false;
    };
    void add_lines(std::string_view text, const std::string& source, bool of_example);
    bool begin_line();  // false: there is none
    void begin_example(const Example& example);
    bool gives_way();  // false: there is nothing to give way to
    void end_example();
    void note_trouble();
    void raise_trouble();
    [[nodiscard]] Command beside_script(Command command) const;
    void begin_monkey_line();
    void go_on();
    [[nodiscard]] std::optional<Wants> wanted_before(After after);
    [[nodiscard]] bool wait_for_computation(After after);
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
    Line line_;            // that is being played
    std::optional<History> history_before_;
    std::string example_;  // the title of the one that is being played
    ExampleCaption caption_;
    long elsewhere_ = 0;   // Application::elsewhere(), as the example knows it
    struct Trouble {
        Line line;
        std::string why;
    };
    std::optional<Trouble> trouble_;     // what cannot be computed since a line
    std::optional<Recipe> failed_with_;  // the settings that could not be computed last
    bool ended_ = false;                 // trouble at the end has been looked for
    std::ostream& out_;
    bool tried_ = false;          // its refusal does not end the script
    std::set<std::string> tried_drawers_;  // that were opened for what it names
    bool drops_ = false;          // its file may turn out bad
    std::deque<Act> acts_;        // what is left of it
    std::vector<Act> fresh_;      // what the present act adds, to be done before the others
    std::optional<double> held_;  // a frame of so many seconds comes first
    std::optional<Clock::time_point> waits_since_;    // for a computation
    std::optional<Clock::time_point> studies_since_;  // for one beside the window
    std::optional<Monkey> monkey_;
    int monkey_lines_ = 0;
    Input input_;
    ui::Recording recording_;
    double seconds_ = 0;
    std::string failure_;
};

}  // namespace headlight::platform

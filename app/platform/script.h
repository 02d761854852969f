#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "platform/application.h"

namespace headlight::platform {

// "FILE:LINE: sentence"
class ScriptError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Plays a script to the program: one line, one command of command.h or keys.h, or of these.
// Places are named as the views name them, "stage.result[45,62]" being the middle of a cell.
//
//   size W H                    of the picture in pixels, at first 1600 1000
//   scale S                     pixels per unit, at first 1
//   pointer PLACE               or X Y in pixels
//   click PLACE, double-click PLACE
//   press PLACE, release-button
//   drag PLACE to PLACE         or PLACE by DX DY
//   scroll PLACE AMOUNT         upwards is positive
//   key KEY                     as in keys.h: Ctrl+Z, Left, ?
//   type TEXT                   into a text field
//   drop PATH                   a file from the desktop
//   wait                        until nothing is computed and nothing moves, or MILLISECONDS
//   shot NAME                   saves NAME.png and prints its path
//   expect REPORT VALUE         fails when the screen reports something else
//   print REPORT
//   try COMMAND...              the command, or a line of this list; a refusal does not end the script
//   monkey N SEED               N lines that nobody would say, printed so that they can be played
//                               again; see monkey.h
//   bench-frames N              draws N frames and prints what one takes
//   bench-drag N                the same while the first shape of a scene goes round, and how many
//                               of the frames showed a result that the one before did not
//
// `open` and `set weights` wait for what comes of their file and fail where that cannot be shown; a
// `drop` fails as before a person, with a notice.
//
// Every line but `wait` first lets the screen come to rest, as a patient person would; motion that
// is playing stands still meanwhile. Time is counted in frames, so a script does the same on every
// machine.
class ScriptPlayer {
  public:
    // Pictures go into `folder`, what is printed to `out`.
    ScriptPlayer(Window& window, Application& app, std::filesystem::path folder, std::ostream& out);

    void play(const std::filesystem::path& script);  // throws ScriptError

  private:
    using Args = std::vector<std::string>;
    struct Verb {
        std::string_view name, usage;
        std::size_t least, most;  // arguments
        void (*run)(ScriptPlayer&, const Args&);
    };
    static const std::vector<Verb>& verbs();

    void perform(const Command& command);
    void expect_opened();
    void frame(double seconds);
    void settle();
    void rest();
    void draw_due();
    [[nodiscard]] ImVec2 place(const std::string& name) const;
    [[nodiscard]] std::string reported(const std::string& name) const;

    void point(ImVec2 at);
    void button(bool down);
    void click(const std::string& name);
    void drag(const Args& args);
    void key(const std::string& name);
    void type(const std::string& text);
    void wait(const Args& args);
    void shot(const std::string& name);
    void expect(const std::string& name, const std::string& value);
    void try_out(const Command& command);
    void monkey(int lines, std::uint64_t seed);
    void lose_patience();
    void bench(int count);
    void bench_drag(int count);
    double timed_frame();  // milliseconds

    Window& window_;
    Application& app_;
    std::filesystem::path folder_;
    std::ostream& out_;
    Input input_;
    Extent size_{1600, 1000};
    float scale_ = 1;
    std::unique_ptr<Offscreen> canvas_;
};

}  // namespace headlight::platform

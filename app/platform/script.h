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

// Plays a script to the program: one line, one command, of the workspace, of the window, or of
// those that only a script needs: what hands do, what is seen, and time. Places are named as the
// views name them, "stage.result[45,62]" being the middle of a cell.
//
// `open`, `set image` and `set weights` wait for what comes of their file and fail where that
// cannot be shown; a `drop` fails as before a person, with a notice.
//
// Every line but `wait` first lets the screen come to rest, as a patient person would; motion that
// is playing stands still meanwhile. Time is counted in frames, so a script does the same on every
// machine.
class ScriptPlayer {
  public:
    // Pictures go into `folder`, what is printed to `out`.
    ScriptPlayer(Window& window, Application& app, std::filesystem::path folder, std::ostream& out);

    // What scripts say besides the commands of window and workspace.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }
    void play(const std::filesystem::path& script);  // throws ScriptError

  private:
    using Args = std::vector<std::string>;
    struct Verb : CommandInfo {
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

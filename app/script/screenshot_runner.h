#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "application/application.h"
#include "platform/picture.h"
#include "script/player.h"

namespace headlight::app {

// Takes pictures of the program automatically: draws off screen in any size, and drives a script's
// player.
class ScreenshotRunner {
  public:
    // Pictures go to `folder`, printed text to `out`.
    ScreenshotRunner(Window& window, Application& app, std::filesystem::path folder,
                     std::ostream& out)
        : window_(window), app_(app), folder_(std::move(folder)), out_(out) {
        app_.work().command_table().add(CommandOf::pictures, verbs(), *this);
    }
    ~ScreenshotRunner() {
        app_.attend(nullptr);
        app_.work().command_table().take_out(this);
    }
    ScreenshotRunner(const ScreenshotRunner&) = delete;
    ScreenshotRunner& operator=(const ScreenshotRunner&) = delete;

    // The script commands that it handles.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }
    // Plays lines to their end; `name` is for error messages. Throws std::runtime_error:
    // "FILE:LINE: sentence".
    void say(const std::string& name, std::string_view lines);
    // Plays a script in small parts, because a browser must never wait. advance() throws as say()
    // does, and returns false at the end.
    void begin(const std::filesystem::path& script);
    bool advance();

  private:
    using Args = CommandArgs;
    using Verb = CommandRow<ScreenshotRunner>;
    static const std::vector<Verb>& verbs();

    void frame(double seconds);
    void shot(const std::string& name);
    void let_pass(double seconds);
    void present(const Args& args);  // throws CommandError
    void draw_presenter();
    void bench_frames(int count);
    void bench_drag(const Args& args);
    double timed_frame();  // milliseconds
    // `before` is called before each frame with its number.
    std::string timed_frames(int count, const std::function<void(int)>& before);
    void rest_until(std::chrono::steady_clock::time_point due);
    double time_of_result(const std::function<void()>& change);

    Window& window_;
    Application& app_;
    std::filesystem::path folder_;
    std::ostream& out_;
    std::unique_ptr<Player> player_;  // during playback
    Extent size_{1600, 1000};
    float scale_ = 1;
    Moment now_{0, 9 * 60};                 // counted in frames, starting at 9:00
    std::unique_ptr<Presenter> presenter_;  // while its window would be open
    Input presenter_input_;
    Extent presenter_size_{1280, 720};
};

}  // namespace headlight::app

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "platform/application.h"
#include "platform/monitors.h"
#include "platform/presenter.h"
#include "platform/preview.h"
#include "platform/window.h"

namespace headlight::platform {

// The presenter's window, and which of the two windows of a lecture stands on which monitor. In
// lecture view the program's own fills a monitor, until lecture view is left or the monitor is
// gone: then it is back where it was. With one monitor the presenter's is a window like any other.
// With two it spreads on the speaker's while a lesson is read, and the lecture fills the other.
class PresenterWindow {
  public:
    // Both outlive it.
    PresenterWindow(Window& main, Application& app) : main_(main), app_(app) {}
    ~PresenterWindow();
    PresenterWindow(const PresenterWindow&) = delete;
    PresenterWindow& operator=(const PresenterWindow&) = delete;

    // Opens, closes, places and draws as the presentation says; true when it drew.
    bool iterate(const Moment& now);
    // Seconds until it has something to draw, when nothing happens; nothing where it never has.
    [[nodiscard]] std::optional<double> patience(double now);

  private:
    struct Opened {
        explicit Opened(const Window& main);
        Window window;
        Presenter presenter;
        double last_frame = 0;
    };
    [[nodiscard]] bool lecturing() const;
    [[nodiscard]] std::optional<Seats> seats() const;
    void look_at_monitors();
    void arrange(const std::optional<Seats>& wanted);
    void bring_home();
    void leave_monitor();
    void begin_settling();
    void settle(double now);
    void open_or_close();
    void close();
    void take_pictures(double now);
    [[nodiscard]] bool frame_wanted();
    bool draw(double now);

    Window& main_;
    Application& app_;
    std::vector<Box> monitors_;
    bool known_ = false, lectured_ = false;
    std::optional<Seats> arranged_;
    std::optional<Box> home_;  // of the program's window, while it fills a monitor
    bool home_spread_ = false;
    int settlings_ = 0;  // that are still to come, and when the next one does
    std::optional<double> settles_at_;
    std::optional<Box> main_found_, opened_at_;  // where they were at the last one
    std::unique_ptr<Opened> opened_;
    // Of what the room sees, for the presenter.
    long frames_seen_ = 0;
    double seen_at_ = 0;
    std::shared_ptr<const Image> seen_;
    std::unique_ptr<Preview> preview_;
};

}  // namespace headlight::platform

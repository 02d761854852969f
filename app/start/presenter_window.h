#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "application/application.h"
#include "lecture/presenter.h"
#include "platform/monitors.h"
#include "platform/window.h"
#include "start/preview.h"

namespace headlight::app {

// The presenter's window, and the placement of both windows of a lecture. In lecture view, the
// program's window fills a monitor; it returns to its place when lecture view ends or the monitor
// is unplugged. With one monitor, the presenter's window is an ordinary one. With two, while a
// lesson is open, it fills the speaker's and the lecture fills the other.
class PresenterWindow {
  public:
    // Both must outlive it.
    PresenterWindow(Window& main, Application& app) : main_(main), app_(app) {}
    ~PresenterWindow();
    PresenterWindow(const PresenterWindow&) = delete;
    PresenterWindow& operator=(const PresenterWindow&) = delete;

    // Opens, closes, places and draws the window as the presentation says. Returns true if it drew.
    bool iterate(const Moment& now);
    // Seconds until it must draw again without input; empty if never.
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
    int settlings_ = 0;  // remaining placement checks, and the time of the next one
    std::optional<double> settles_at_;
    std::optional<Box> main_found_, opened_at_;  // positions at the last check
    std::unique_ptr<Opened> opened_;
    // Number of frames shown to the audience, for the presenter's picture.
    long frames_seen_ = 0;
    double seen_at_ = 0;
    std::shared_ptr<const Image> seen_;
    std::unique_ptr<Preview> preview_;
};

}  // namespace headlight::app

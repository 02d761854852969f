#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/application.h"
#include "platform/crash_marker.h"
#include "platform/player.h"
#include "platform/presenter_window.h"
#include "platform/session_storage.h"
#include "state/command.h"

namespace headlight::platform {

struct WindowOptions {
    // Images and checkpoints. The first of each is shown instead of the session's, the others are
    // next in the lists of recent ones.
    std::vector<std::string> files;
    std::string model;              // a checkpoint or a folder with one; "": see files
    std::string part;               // an encoder of the checkpoint, or empty
    std::string screen;             // to open on; "": the session's, at first Look
    std::string theme;              // of a first start: dark or light; "": the usual one
    std::string link;               // a state (link.h) instead of the session's; "": none
    std::string stop;               // of the lesson among the files, counted from 1; "": the first
    std::string trouble;            // a sentence to begin with
    // Where to look first, as soon as there is a result: numbers from 1, and a token as for maps.
    std::string layer, head, query;
    std::filesystem::path session;  // empty: the person's own
    std::filesystem::path report;   // empty: none; see report.h
};

// The program in its window.
class Loop {
  public:
    // Throws WindowError where there can be no window.
    explicit Loop(const WindowOptions& options);

    // One round: waits for something to happen, draws. False when the person has had enough.
    bool iterate();
    void finish();  // keeps the session

  private:
    // What a start without a picture can try next, and what the person is told of it.
    struct WayOut {
        Command command;
        std::string done;
    };

    // What precedes the window, and could make it needless.
    struct Start {
        explicit Start(const WindowOptions& options);
        std::unique_ptr<CrashMarker> mark;
        Beginning beginning;
        State state;  // with what the command line chose
    };

    Loop(const WindowOptions& options, Start start);
    bool frame_wanted();
    [[nodiscard]] std::optional<double> patience();
    void take_news();
    void play_example();
    void look_where_told();
    void look_after_files(double time);
    void say_trouble();
    void rescue();
    std::optional<WayOut> way_out();
    void draw();
    void keep_session();
    [[nodiscard]] State to_keep() const;
    void report();

    std::unique_ptr<CrashMarker> marker_;
    Window window_;
    Application app_;
    PresenterWindow presenter_window_;
    std::unique_ptr<Player> player_;  // of the example that is being played
    SessionStorage storage_;
    std::filesystem::path report_;
    std::string trouble_;                    // of the start, told with the first picture
    std::vector<std::string> other_images_;  // for a start without a picture, the last one first
    std::string layer_, head_, query_;       // where to look first; "": as it is
    bool starting_ = true;                   // there has been no picture yet
    bool usual_settings_tried_ = false;
    double last_round_ = 0, last_frame_ = 0, last_report_ = 0, last_look_ = 0;
    double pause_ = 0;  // of the time since the last frame: when none was wanted
    bool drawn_since_report_ = false;
    bool report_fails_ = false;
};

// Until the window is closed. Throws what Loop throws.
void run_window(const WindowOptions& options);

}  // namespace headlight::platform

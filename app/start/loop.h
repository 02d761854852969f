#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/application.h"
#include "script/player.h"
#include "start/crash_marker.h"
#include "start/presenter_window.h"
#include "start/session_storage.h"
#include "state/command.h"

namespace headlight::app {

struct WindowOptions {
    // Images and checkpoints. The first of each replaces the session's; the others go to the top of
    // the recent files.
    std::vector<std::string> files;
    std::string model;    // a checkpoint or a folder with one; "": see files
    std::string part;     // an encoder of the checkpoint, or empty
    std::string screen;   // initial screen; "": the session's, at first Look
    std::string theme;    // for a first start: dark or light; "": the default
    std::string link;     // a state (link.h) that replaces the session's; ""
    std::string stop;     // in the lesson among the files, from 1; "": the first
    std::string trouble;  // an initial error message
    // The initial selection: numbers from 1, and a token as for maps.
    std::string layer, head, query;
    std::filesystem::path session;  // empty: the user's own
    std::filesystem::path report;   // empty: none; see report.h
};

// The program in its window.
class Loop {
  public:
    // Throws WindowError if no window can be opened.
    explicit Loop(const WindowOptions& options);

    // One iteration: waits for events and draws. Returns false when the user quits.
    bool iterate();
    void finish();  // saves the session

  private:
    // A fallback for a start without a picture, and the message for the user.
    struct WayOut {
        Command command;
        std::string done;
    };

    // The work before the window opens, which may make it unnecessary.
    struct Start {
        explicit Start(const WindowOptions& options);
        std::unique_ptr<CrashMarker> mark;
        Beginning beginning;
        State state;  // with the command line's options
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
    std::unique_ptr<Player> player_;  // of the example being played
    SessionStorage storage_;
    std::filesystem::path report_;
    std::string trouble_;                    // of the start; shown with the first picture
    std::vector<std::string> other_images_;  // fallbacks for the start, last one first
    std::string layer_, head_, query_;       // initial selection; "": unchanged
    bool starting_ = true;                   // no picture has been shown yet
    bool usual_settings_tried_ = false;
    double last_round_ = 0, last_frame_ = 0, last_report_ = 0, last_look_ = 0;
    double pause_ = 0;  // part of the time since the last frame in which none was needed
    bool drawn_since_report_ = false;
    bool report_fails_ = false;
};

// Runs until the window is closed. Throws what Loop throws.
void run_window(const WindowOptions& options);

}  // namespace headlight::app

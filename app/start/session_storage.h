#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "state/state.h"

namespace headlight::app {

// The state to start with, and a message if it is not the expected one.
struct Beginning {
    State state;
    std::string trouble;
    State saved;                 // the file's content
    std::filesystem::path file;  // where the session is saved; empty: nowhere
};

enum class Whose { own, named };  // the user's usual session, or a file that was named

// Loads the session, or the initial state if there is none. A damaged file is moved aside, not
// overwritten. A session whose image is missing shows the sample image. A file that is no session
// is left alone: throws SessionError if it was named, otherwise nothing is saved.
Beginning begin_session(const std::filesystem::path& file, Whose whose, const State& first_look);

// Removes what the last start was loading when it crashed before its first picture: its model or,
// without one, its image. Adds a message. Does nothing if the session has neither.
void leave_out(Beginning& beginning, const Recipe& unfinished);

// Removes a model of the Hub that is no longer in its cache, and adds a message that says how to
// get it.
void leave_out_missing_model(Beginning& beginning);

// Saves the session a few seconds after a change, so that a crash loses little, and at the end.
class SessionStorage {
  public:
    SessionStorage(std::filesystem::path file, const State& saved)
        : file_(std::move(file)), saved_(saved) {}

    // Seconds until it must save; empty if nothing has changed. `now` in seconds.
    std::optional<double> due(const State& state, double now);
    // Returns an error message if it failed; it then tries again only at the end.
    std::string save(const State& state);

  private:
    std::filesystem::path file_;
    State saved_;
    std::optional<double> changed_at_;
    bool gave_up_ = false;
};

}  // namespace headlight::app

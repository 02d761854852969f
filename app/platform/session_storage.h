#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "state/state.h"

namespace headlight::platform {

// What a start finds: the state to begin with, and a sentence when it is not the one hoped for.
struct Beginning {
    State state;
    std::string trouble;
    State saved;                 // what the file says
    std::filesystem::path file;  // to keep the session in; empty: nowhere
};

enum class Whose { own, named };  // the person's usual session, or a file that was asked for

// The session in the file, or the first look where there is none. A damaged file is put aside, not
// overwritten; a session whose image is gone shows the sample image. What never was a session is
// left alone: throws SessionError for a file that was asked for; else nothing is kept.
Beginning begin_session(const std::filesystem::path& file, Whose whose, const State& first_look);

// Without what the last start was reading when it ended before its first picture: its model, or
// where it had none its image. With a sentence; nothing where the session has neither.
void leave_out(Beginning& beginning, const Recipe& unfinished);

// Writes a session some seconds after it changed, so that a crash costs little, and at the end.
class SessionStorage {
  public:
    SessionStorage(std::filesystem::path file, const State& saved)
        : file_(std::move(file)), saved_(saved) {}

    // Seconds until it wants to write; nothing while there is nothing new. `now` in seconds.
    std::optional<double> due(const State& state, double now);
    // Returns a sentence when it could not; then it tries no more until the end.
    std::string save(const State& state);

  private:
    std::filesystem::path file_;
    State saved_;
    std::optional<double> changed_at_;
    bool gave_up_ = false;
};

}  // namespace headlight::platform

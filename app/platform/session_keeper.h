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
};

// The session in the file, or the first look where there is none. A damaged file is put aside, not
// overwritten; a session whose image is gone shows the sample image.
Beginning begin_session(const std::filesystem::path& file, State first_look);

// Writes a session some seconds after it changed, so that a crash costs little, and at the end.
class SessionKeeper {
  public:
    SessionKeeper(std::filesystem::path file, const State& saved)
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

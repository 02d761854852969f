#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "state/state.h"

namespace headlight {

class SessionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A state as JSON. Fields by their names in fields.h; unknown ones are ignored and missing ones
// keep their defaults, so sessions survive versions.
std::string to_json(const State& state);
// Throws SessionError: not JSON, or a value that its field refuses. `name` appears in errors only.
State from_json(const std::string& text, const std::string& name);

// $XDG_STATE_HOME/headlight/session.json, or ~/.local/state/headlight/session.json.
std::filesystem::path default_session_path();
State load_session(
    const std::filesystem::path& path);  // throws SessionError, also when it cannot be read
void save_session(const std::filesystem::path& path,
                  const State& state);  // whole or not at all; throws SessionError

}  // namespace headlight

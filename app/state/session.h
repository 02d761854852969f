#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "state/state.h"

namespace headlight {

class SessionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A state as JSON. Fields are named as in fields.h. Unknown fields are ignored and missing ones
// keep their defaults, so sessions survive version changes.
std::string to_json(const State& state);
// Throws SessionError if it is not JSON, or a field refuses its value. `name` is only for error
// messages.
State from_json(const std::string& text, const std::string& name);

// $XDG_STATE_HOME/headlight/session.json, or ~/.local/state/headlight/session.json. Empty if
// neither is known; loading and saving then fail with an error message.
std::filesystem::path default_session_path();

// Whether a file starts like a session, even if the rest is damaged: a JSON object whose first
// member belongs to a session. True for an empty file.
bool begins_like_session(std::string_view text);

// Throws SessionError, also if the file cannot be read.
State load_session(const std::filesystem::path& path);
// Loads a saved experiment: all of a session except the user's own display settings and file lists,
// which are taken from `own`. Throws as load_session does. Files in the assets folder, and files in
// or below the experiment's folder, have portable names, so they can be moved with it.
State as_experiment(const State& state, const std::filesystem::path& path);
State load_experiment(const std::filesystem::path& path, const State& own);

// Writes the file atomically and creates its folder if needed. Throws SessionError.
void save_session(const std::filesystem::path& path, const State& state);

}  // namespace headlight

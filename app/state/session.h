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

// A state as JSON. Fields by their names in fields.h; unknown ones are ignored and missing ones
// keep their defaults, so sessions survive versions.
std::string to_json(const State& state);
// Throws SessionError: not JSON, or a value that its field refuses. `name` appears in errors only.
State from_json(const std::string& text, const std::string& name);

// $XDG_STATE_HOME/headlight/session.json, or ~/.local/state/headlight/session.json. Empty where
// neither is known: then loading and saving fail with a sentence.
std::filesystem::path default_session_path();

// Whether the first bytes of a file are a session's, whatever became of the others: a JSON object
// whose first member is one of a session's. So is an empty file.
bool begins_like_session(std::string_view text);

// Throws SessionError, also when the file cannot be read.
State load_session(const std::filesystem::path& path);
// An experiment that was saved under a name: all of a session but the person's own look and lists
// of files, which stay as they are in `own`. Throws as load_session does.
// Files of the assets folder, and those beside the experiment or below, are named so that it can be
// moved together with them.
State as_experiment(const State& state, const std::filesystem::path& path);
State load_experiment(const std::filesystem::path& path, const State& own);

// Whole or not at all, making the folder where needed. Throws SessionError.
void save_session(const std::filesystem::path& path, const State& state);

}  // namespace headlight

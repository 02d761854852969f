#pragma once

#include <filesystem>
#include <optional>

#include "program/recipe.h"
#include "state/state.h"
#include "system/open_file.h"

namespace headlight::app {

// A file beside the session that exists from the start until the first picture. If the next start
// finds one, it tells what the last start was loading when it crashed or was killed. Only one
// process at a time owns the file, because it is locked while its program runs.
class CrashMarker {
  public:
    // Without a session, or if its folder is not writable, there is no marker.
    explicit CrashMarker(const std::filesystem::path& session);
    ~CrashMarker();  // keeps the marker: without done(), the start failed
    CrashMarker(const CrashMarker&) = delete;
    CrashMarker& operator=(const CrashMarker&) = delete;

    // What a failed start was loading.
    [[nodiscard]] const std::optional<Recipe>& left() const { return left_; }
    void set(const State& state);  // records what this start loads
    void done();

  private:
    std::filesystem::path path_;
    system::OpenFile file_;
    bool set_ = false;
    std::optional<Recipe> left_;
};

}  // namespace headlight::app

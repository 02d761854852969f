#pragma once

#include <filesystem>
#include <optional>

#include "program/recipe.h"
#include "state/state.h"
#include "system/open_file.h"

namespace headlight::platform {

// A file beside the session, from the start until its first picture. One that is still there at the
// next start tells what the last one was reading when it crashed, or was killed because it hung.
// Of two starts at once only the first has the file: it is locked while its program lives.
class CrashMarker {
  public:
    // Where there is no session yet, or its folder may not be written to, there is no mark.
    explicit CrashMarker(const std::filesystem::path& session);
    ~CrashMarker();  // leaves what was set: who ends without done() did not end well
    CrashMarker(const CrashMarker&) = delete;
    CrashMarker& operator=(const CrashMarker&) = delete;

    // What a start that did not end well was reading.
    [[nodiscard]] const std::optional<Recipe>& left() const { return left_; }
    void set(const State& state);  // what this start reads
    void done();

  private:
    std::filesystem::path path_;
    system::OpenFile file_;
    bool set_ = false;
    std::optional<Recipe> left_;
};

}  // namespace headlight::platform

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/background_task.h"

namespace headlight {

struct DirectoryEntry {
    std::filesystem::path path;
    std::string name;  // as shown: the last part of the path
    bool folder = false;
    std::uintmax_t bytes = 0;                   // of a file
    std::filesystem::file_time_type written{};  // when the file last changed
};

// What can be opened in a directory: folders first, then images, scenes and checkpoints,
// each in natural order.
struct Directory {
    std::filesystem::path path;
    std::vector<DirectoryEntry> entries;
    std::size_t folders = 0;  // entries[0 .. folders)
    std::size_t others = 0;   // files that are none of these; hidden ones are not counted
    std::filesystem::file_time_type written{};
    std::string error;  // one sentence: why it cannot be read; empty when it can
};

// Never throws for what the disk says: an unreadable directory carries its error.
Directory read_directory(const std::filesystem::path& path);

// A file as its directory would list it; bytes and time are zero when it cannot be asked about.
DirectoryEntry describe_file(const std::filesystem::path& path);

// What a person typed: blanks around it dropped, "~" is the home directory, relative paths start at
// `from`.
std::filesystem::path typed_path(std::string_view text, const std::filesystem::path& from);

// As it is remembered, so that a session finds it from another folder: a file that is there by its
// whole path. Other names stay as they are, for the FileReader to judge.
std::string whole_path(const std::string& path);

// The directory being looked at, read in the background: a slow network drive does not block the
// interface.
class DirectoryReader {
  public:
    void go(const std::filesystem::path& path);
    void refresh() { stale_ = true; }

    // Takes what was read and starts what is to be read; looks once a second whether the directory
    // changed. Call each frame.
    void update();

    [[nodiscard]] const std::filesystem::path& path() const { return wanted_; }
    // Of path(), or empty before it is read for the first time; the old listing stays during a
    // refresh.
    [[nodiscard]] const Directory& directory() const { return directory_; }
    [[nodiscard]] bool reading() const { return reading_; }

  private:
    using Clock = std::chrono::steady_clock;
    bool read_next();  // on the background thread
    void take();

    std::filesystem::path wanted_;
    Directory directory_;
    bool stale_ = false;
    Clock::time_point checked_{};
    bool reading_ = false;
    std::mutex guard_;  // of both
    std::optional<std::filesystem::path> asked_;
    std::optional<Directory> read_;
    std::condition_variable done_;
    // Last: starts when all else is ready, and waits for the reading in the end.
    BackgroundTask task_{[this] { return read_next(); }};
};

}  // namespace headlight

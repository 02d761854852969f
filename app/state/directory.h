#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/background_task.h"

namespace headlight {

struct DirectoryEntry {
    std::filesystem::path path;
    std::string name;  // for display: the last part of the path
    bool folder = false;
    std::uintmax_t bytes = 0;                   // size of a file
    std::filesystem::file_time_type written{};  // last modification
};

// The images of a folder, shared with background tasks.
using ImageList = std::shared_ptr<const std::vector<DirectoryEntry>>;

// The entries of a directory that can be opened: folders first, then images, scenes and
// checkpoints, each group in natural order.
struct Directory {
    std::filesystem::path path;
    std::vector<DirectoryEntry> entries;
    std::size_t folders = 0;  // entries[0 .. folders)
    std::size_t others = 0;   // number of files of other types, without hidden ones
    std::filesystem::file_time_type written{};
    std::string error;  // one sentence: why it cannot be read; empty if it can
};

// Does not throw for file system errors: an unreadable directory has its `error` set.
Directory read_directory(const std::filesystem::path& path);

// A file as its directory would list it. bytes and time are zero if it cannot be accessed.
DirectoryEntry describe_file(const std::filesystem::path& path);

// Expands a path that the user typed: trims spaces, expands "~", and resolves relative paths from
// `from`.
std::filesystem::path typed_path(std::string_view text, const std::filesystem::path& from);

// The absolute path of an existing file, so that a session finds it from another folder. Other
// names are returned unchanged; the FileReader handles them.
std::string whole_path(const std::string& path);

// Reads the current directory in a background task, so that a slow network drive does not block the
// interface.
class DirectoryReader {
  public:
    void go(const std::filesystem::path& path);
    void refresh() { stale_ = true; }

    // Takes finished listings and starts pending ones. Checks once a second whether the directory
    // has changed. Call it each frame.
    void update();

    [[nodiscard]] const std::filesystem::path& path() const { return wanted_; }
    // The listing of path(); empty before the first read. During a refresh, the old listing stays.
    [[nodiscard]] const Directory& directory() const { return directory_; }
    [[nodiscard]] bool reading() const { return reading_; }

  private:
    using Clock = std::chrono::steady_clock;
    bool read_next();  // runs on the background thread
    void take();

    std::filesystem::path wanted_;
    Directory directory_;
    bool stale_ = false;
    Clock::time_point checked_{};
    bool reading_ = false;
    std::mutex guard_;  // guards both
    std::optional<std::filesystem::path> asked_;
    std::optional<Directory> read_;
    std::condition_variable done_;
    // Declared last: starts when all other members exist, and its destructor waits for the read to
    // end.
    BackgroundTask task_{[this] { return read_next(); }};
};

}  // namespace headlight

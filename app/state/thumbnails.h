#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "image/image.h"
#include "tasks/background_task.h"

namespace headlight {

// The state of one thumbnail. With neither image nor error, it is still pending.
struct Thumbnail {
    std::shared_ptr<const Image> image;  // the whole image; longer side at most max_side pixels
    int width = 0, height = 0;           // size of the file's picture, in pixels
    std::string error;                   // one sentence if it failed

    [[nodiscard]] bool pending() const { return !image && error.empty(); }
};

// Thumbnails of image files, made in a background task. The newest request is served first. If too
// many wait, requests that are not repeated are dropped, so visible thumbnails load first while
// scrolling.
class Thumbnails {
  public:
    // Larger images would take seconds and gigabytes; they get no thumbnail.
    static constexpr std::int64_t kPixels = 50'000'000;
    static constexpr std::uintmax_t kBytes = 256U << 20U;

    // `wake` is called from the background thread after each thumbnail. `capacity`: thumbnails to
    // keep, at least 1.
    explicit Thumbnails(std::function<void()> wake = {}, std::size_t capacity = 400);

    // The thumbnail's current state; if it is missing, it moves to the front of the queue. Ask
    // again while it is pending. `written` is part of the key: a modified file gets a new
    // thumbnail. max_side >= 1.
    Thumbnail request(const std::filesystem::path& path, std::filesystem::file_time_type written,
                      int max_side);

    [[nodiscard]] bool pending() const;  // something is being made or is waiting

  private:
    struct Key {
        std::filesystem::path path;
        std::filesystem::file_time_type written;
        int max_side = 0;
        friend bool operator==(const Key&, const Key&) = default;
        friend bool operator<(const Key& a, const Key& b) {
            return std::tie(a.path, a.written, a.max_side) <
                   std::tie(b.path, b.written, b.max_side);
        }
    };
    struct Kept {
        Thumbnail thumbnail;
        std::uint64_t used = 0;  // number of the last request for it
    };
    bool make_next();  // returns whether more wait
    void keep(const Key& key, Thumbnail made);
    void drop_oldest();

    std::function<void()> wake_;
    std::size_t capacity_;
    mutable std::mutex guard_;  // guards all below
    std::map<Key, Kept> kept_;
    std::deque<Key> waiting_;  // next one first
    std::optional<Key> making_;
    std::uint64_t requests_ = 0;
    BackgroundTask
        task_;  // last member: starts last; the destructor waits for the image being decoded
};

// Makes one thumbnail synchronously. Does not throw for bad files.
Thumbnail make_thumbnail(const std::filesystem::path& path, int max_side);

}  // namespace headlight

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

// What is known of one image file. Neither image nor error: it is still waiting.
struct Thumbnail {
    std::shared_ptr<const Image> image;  // all of it, the longer side at most max_side pixels
    int width = 0, height = 0;           // of the file's picture, in pixels
    std::string error;                   // one sentence: why there is none

    [[nodiscard]] bool pending() const { return !image && error.empty(); }
};

// Small pictures of image files, made by a background task of its own. Newest requests come first,
// and those that nobody repeats are forgotten when too many wait: while one scrolls, what is seen
// is loaded.
class Thumbnails {
  public:
    // Images of more pixels take seconds and gigabytes: they have no thumbnail.
    static constexpr std::int64_t kPixels = 50'000'000;
    static constexpr std::uintmax_t kBytes = 256U << 20U;

    // `wake` is called from its thread after each thumbnail. `capacity`: how many are kept, at
    // least 1.
    explicit Thumbnails(std::function<void()> wake = {}, std::size_t capacity = 400);

    // The thumbnail as far as it is known, put first among those to be made if it is not; ask again
    // as long as it is pending. A file `written` at another time is another file. max_side >= 1.
    Thumbnail request(const std::filesystem::path& path, std::filesystem::file_time_type written,
                      int max_side);

    [[nodiscard]] bool pending() const;  // something is being made or waits to be

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
        std::uint64_t used = 0;  // the number of the request that last asked for it
    };
    bool make_next();  // whether more wait
    void keep(const Key& key, Thumbnail made);
    void drop_oldest();

    std::function<void()> wake_;
    std::size_t capacity_;
    mutable std::mutex guard_;  // of all below
    std::map<Key, Kept> kept_;
    std::deque<Key> waiting_;  // the next one first
    std::optional<Key> making_;
    std::uint64_t requests_ = 0;
    BackgroundTask
        task_;  // last: starts when all else is ready; waits for the image being decoded in the end
};

// One thumbnail, at once. Never throws for what the file holds.
Thumbnail make_thumbnail(const std::filesystem::path& path, int max_side);

}  // namespace headlight

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "index/nearest.h"
#include "state/directory.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// Searches a folder for the images, or patches of them, that are most similar to a picture, in a
// background task. The window's form of `headlight nearest`, with the same cache.
namespace headlight {

struct NearestPicturesQuestion {
    std::shared_ptr<const Trace> trace;  // of the picture; need not be a file
    Recipe recipe;                       // that the trace was computed with
    std::optional<int> layer{};          // index; empty: the model's end
    std::optional<int> patch{};          // of the picture; empty: compares whole images
    ImageList images;                    // of the folder; the picture itself is skipped
    std::filesystem::path cache{};       // feature_cache_folder(); empty: no cache

    friend bool operator==(const NearestPicturesQuestion& a, const NearestPicturesQuestion& b);
};

using NearestPicturesFinder = Study<NearestPicturesQuestion, NearestFound>;

// Publishes what it has found so far. Keeps features in memory, so that the next question about the
// same folder, such as for another patch, is quick.
extern const NearestPicturesFinder kNearestPictures;

// Whether both questions have the same features of the folder's images, and so the second one is
// answered from memory.
bool same_search(const NearestPicturesQuestion& a, const NearestPicturesQuestion& b);

// The images of the list without the picture itself, if that is a file.
std::size_t count_of_others(const NearestPicturesQuestion& question);

// The table that `headlight nearest` writes.
NumberTable nearest_table(const NearestPicturesQuestion& question, const NearestFound& found);

// "2 images were skipped: a.png, b.png." in one line; "" if none.
std::string skipped_words(const std::vector<FailedImage>& failed);

// The pictures as the model sees them, for display.
struct SmallPicturesQuestion {
    std::shared_ptr<const Model> model;
    Recipe recipe;                       // its image has no effect
    std::vector<DirectoryEntry> images;  // files

    friend bool operator==(const SmallPicturesQuestion& a, const SmallPicturesQuestion& b);
};

struct SmallPictures {
    // By path; the longer side has at most kSmallSide pixels. Missing: could not be read.
    std::map<std::filesystem::path, std::shared_ptr<const Image>> images;
};
inline constexpr int kSmallSide = 320;

using SmallPicturesFinder = Study<SmallPicturesQuestion, SmallPictures>;
extern const SmallPicturesFinder kSmallPictures;

}  // namespace headlight

#include "state/nearest_study.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <set>
#include <utility>

#include "disk/files.h"
#include "disk/read_file.h"
#include "encoder/runner.h"
#include "gradient/class_maps.h"
#include "image/preprocessing.h"
#include "kernels/counted.h"
#include "ops/picture.h"
#include "program/program.h"
#include "state/image_folder.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSkippedNames = 4;

// Empty if the picture is no file.
fs::path own_path(const NearestPicturesQuestion& question) {
    const Recipe& recipe = question.recipe;
    return recipe.scene || recipe.image.empty() ? fs::path() : absolute_path(recipe.image);
}

// Whether that file of the folder is the picture itself. `own`: own_path().
bool is_own(const DirectoryEntry& image, const fs::path& own) {
    return image.name == own.filename().string() && absolute_path(image.path) == own;
}

// The features that the last searches computed or read.
class FolderIndex {
  public:
    NearestFound search(const NearestPicturesQuestion& question,
                        const NearestPicturesFinder::Run& run);

  private:
    // Of the features of patches; those of whole images are small, and all of them are kept.
    static constexpr std::uint64_t kMostBytes = 256'000'000;

    struct Picture {
        fs::file_time_type written{};
        FeaturesOfImage of;
        bool has_patches = false;
    };

    void prepare(const NearestPicturesQuestion& question, const StopFlag& stop);
    void forget_others(const ImageList& images);
    void forget(const fs::path& path);
    const FeaturesOfImage& features(const DirectoryEntry& image, bool with_patches,
                                    const StopFlag& stop);

    std::optional<NearestPicturesQuestion> last_;
    std::shared_ptr<ImageFeatures> source_;
    std::optional<PatchFeatures> asked_;  // of the last question's picture
    std::map<fs::path, Picture> pictures_;
    std::uint64_t bytes_ = 0;
    Picture too_large_;  // the last one whose patches were not kept
};

std::uint64_t bytes_of_patches(const PatchFeatures& features) {
    return static_cast<std::uint64_t>(features.rows.size()) * sizeof(float);
}

bool same_source(const NearestPicturesQuestion& a, const NearestPicturesQuestion& b) {
    return a.trace->model == b.trace->model && a.layer == b.layer && a.cache == b.cache &&
           on_any_image(a.recipe) == on_any_image(b.recipe);
}

// The question's patch on the grid of the compared features, which differs from the trace's where a
// later layer merges patches.
std::optional<int> patch_on(const PatchGrid& grid, const NearestPicturesQuestion& question) {
    const PatchGrid& from = question.trace->grid;
    if (!question.patch || grid == from) return question.patch;
    const PixelRect place = from.rect(*question.patch);
    return grid.patch_at(place.row + place.height / 2, place.col + place.width / 2);
}

void FolderIndex::prepare(const NearestPicturesQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    if (!last_ || !same_source(*last_, question)) {
        *this = {};
        source_ = std::make_shared<ImageFeatures>(
            FeatureSettings{trace.model, on_any_image(question.recipe), question.layer},
            question.cache, stop);
        last_ = question;
    }
    if (last_->trace != question.trace) asked_.reset();
    if (!same_images(last_->images, question.images)) forget_others(question.images);
    last_ = question;
    if (!asked_)
        asked_ =
            patch_features(back_to_patches(trace), counterfactual_of(question.recipe, *trace.model),
                           question.layer, stop);
}

void FolderIndex::forget_others(const ImageList& images) {
    std::set<fs::path> others;
    for (const auto& [path, picture] : pictures_) others.insert(path);
    for (const DirectoryEntry& image : *images) others.erase(image.path);
    for (const fs::path& path : others) forget(path);
}

void FolderIndex::forget(const fs::path& path) {
    const auto found = pictures_.find(path);
    if (found == pictures_.end()) return;
    bytes_ -= bytes_of_patches(found->second.of.features);
    pictures_.erase(found);
}

const FeaturesOfImage& FolderIndex::features(const DirectoryEntry& image, bool with_patches,
                                             const StopFlag& stop) {
    if (const auto known = pictures_.find(image.path); known != pictures_.end() &&
                                                       known->second.written == image.written &&
                                                       (known->second.has_patches || !with_patches))
        return known->second.of;
    forget(image.path);
    Picture read{image.written, source_->of_file(image.path.string(), read_file, stop), true};
    const std::uint64_t more = bytes_of_patches(read.of.features);
    Picture& kept = pictures_[image.path];
    if (bytes_ + more <= kMostBytes) {
        kept = std::move(read);
        bytes_ += more;
        return kept.of;
    }
    kept = {read.written,
            {{read.of.features.grid, {}, read.of.features.image}, read.of.from_cache},
            false};
    too_large_ = std::move(read);
    return too_large_.of;
}

NearestFound FolderIndex::search(const NearestPicturesQuestion& question,
                                 const NearestPicturesFinder::Run& run) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kBetweenNews{300};
    prepare(question, run.stop);
    const std::optional<int> patch = patch_on(asked_->grid, question);
    expect_patch(patch, *asked_);
    const fs::path own = own_path(question);
    NearestFound found;
    const auto in_order = [&] {
        std::ranges::stable_sort(found.images, is_more_similar);
        found.cache_problem = source_->cache_problem();
    };
    auto told = Clock::now();
    std::size_t done = 0;
    for (const DirectoryEntry& image : *question.images) {
        throw_if_stopped(run.stop);
        const std::string path = image.path.string();
        if (!is_own(image, own))
            add_image(found, path, [&] {
                return compare_with(*asked_, patch, path,
                                    features(image, patch.has_value(), run.stop));
            });
        run.progress = static_cast<float>(++done) / static_cast<float>(question.images->size());
        if (!run.publish || Clock::now() - told < kBetweenNews) continue;
        in_order();
        run.publish(found);
        told = Clock::now();
    }
    in_order();
    return found;
}

// As the model sees it.
std::shared_ptr<const Image> small_picture(const SmallPicturesQuestion& question,
                                           const fs::path& path, const StopFlag& stop) {
    const FileReader reader = read_file;
    Recipe recipe = on_any_image(question.recipe);
    recipe.image = path.string();
    const auto whole = front_of_picture(question.model, recipe, {&reader, stop}).image;
    const double factor = double{kSmallSide} / std::max(whole->width, whole->height);
    if (factor >= 1) return whole;
    const auto side = [&](int pixels) { return std::max(1, static_cast<int>(pixels * factor)); };
    return std::make_shared<const Image>(
        frame_image(*whole, side(whole->height), side(whole->width), Framing::stretch));
}

// Pictures that the last answer has are not read again.
auto read_small_pictures() {
    return [last = SmallPictures(), asked = SmallPicturesQuestion()](
               const SmallPicturesQuestion& question, const SmallPicturesFinder::Run& run) mutable {
        SmallPictures known;
        if (asked.model == question.model &&
            on_any_image(asked.recipe) == on_any_image(question.recipe))
            for (const DirectoryEntry& image : asked.images)
                if (const auto at = last.images.find(image.path); at != last.images.end())
                    for (const DirectoryEntry& again : question.images)
                        if (is_same_file(again, image)) known.images.insert(*at);
        last = known;
        asked = question;
        for (const DirectoryEntry& image : question.images) {
            throw_if_stopped(run.stop);
            if (last.images.contains(image.path)) continue;
            try {
                last.images[image.path] = small_picture(question, image.path, run.stop);
                if (run.publish) run.publish(last);
            } catch (const Stopped&) {
                throw;
            } catch (const std::exception&) {
                // It could be read a moment ago. The view shows an empty frame.
            }
        }
        return last;
    };
}

}  // namespace

bool operator==(const NearestPicturesQuestion& a, const NearestPicturesQuestion& b) {
    return a.trace == b.trace && a.patch == b.patch && same_search(a, b);
}

bool same_search(const NearestPicturesQuestion& a, const NearestPicturesQuestion& b) {
    return same_source(a, b) && same_images(a.images, b.images);
}

bool operator==(const SmallPicturesQuestion& a, const SmallPicturesQuestion& b) {
    return a.model == b.model && on_any_image(a.recipe) == on_any_image(b.recipe) &&
           std::ranges::equal(a.images, b.images, is_same_file);
}

const NearestPicturesFinder kNearestPictures{
    .compute =
        [index = FolderIndex()](const NearestPicturesQuestion& question,
                                const NearestPicturesFinder::Run& run) mutable {
            return index.search(question, run);
        },
    .takes_long = true};

const SmallPicturesFinder kSmallPictures{.compute = read_small_pictures()};

std::size_t count_of_others(const NearestPicturesQuestion& question) {
    const fs::path own = own_path(question);
    return static_cast<std::size_t>(std::ranges::count_if(
        *question.images, [&](const DirectoryEntry& image) { return !is_own(image, own); }));
}

NumberTable nearest_table(const NearestPicturesQuestion& question, const NearestFound& found) {
    if (!question.patch) return table_of(found.images, std::nullopt);
    const Model& model = *question.trace->model;
    const int last = static_cast<int>(model.layers.size()) - 1;
    return table_of(found.images,
                    layout_of(model, question.layer.value_or(last), question.trace->grid).prefix());
}

std::string skipped_words(const std::vector<FailedImage>& failed) {
    if (failed.empty()) return "";
    std::string words = counted(std::ssize(failed), "image") +
                        (failed.size() == 1 ? " was skipped: " : " were skipped: ");
    for (std::size_t i = 0; i < std::min(failed.size(), kMostSkippedNames); ++i)
        words += (i == 0 ? "" : ", ") + fs::path(failed[i].image).filename().string();
    return words + (failed.size() > kMostSkippedNames ? ", …" : ".");
}

}  // namespace headlight

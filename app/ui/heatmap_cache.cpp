#include "ui/heatmap_cache.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace headlight::ui {

namespace {
// In GPU memory (main memory if Mesa renders in software).
constexpr std::size_t kBudget = 64U << 20U;
constexpr std::int64_t kLarge = std::int64_t{1} << 20U;  // cells or pixels

// A thumbnail needs only a coarse level, in which a texel holds the extremes of many cells,
// uploaded for it alone. Larger pictures share a texture, unless that would be too large.
int grain_of(const Cells& cells, const gl::CellWindow& window, int width, int height) {
    constexpr int kThumbnail = 4;
    const bool large = std::int64_t{cells.rows} * cells.cols > kLarge;
    const int grain = gl::grain_for(cells.rows, cells.cols, window, width, height);
    return large || grain >= kThumbnail ? grain : 1;
}

}  // namespace

HeatmapCache::Key HeatmapCache::key_of(const Cells& cells) {
    return {cells.version, cells.data, cells.rows, cells.cols, cells.stride};
}

const gl::HeatmapTexture* HeatmapCache::texture(const Cells& cells, int grain) {
    const Key key = key_of(cells);
    auto found = textures_.lower_bound({key, 0});  // the finest one available
    const bool there = found != textures_.end() && found->first.first == key;
    if (there) found->second.used = frame_;
    if (!there || found->first.second > grain) {
        if (largest_ == 0) largest_ = gl::largest_texture();
        const auto make = [=, largest = largest_] {
            return Levels{gl::heatmap_levels(cells.data, cells.rows, cells.cols, cells.stride,
                                             grain, largest),
                          cells.keeper};
        };
        if (wake_ && cells.keeper && std::int64_t{cells.rows} * cells.cols > kLarge) {
            ask(GrainKey{key, grain}, make);
            return there ? &found->second.texture : nullptr;
        }
        keep(GrainKey{key, grain}, make());
        found = textures_.find({key, grain});
    }
    return &found->second.texture;
}

std::uint32_t HeatmapCache::picture(const MatrixPicture& matrix, int width, int height) {
    const auto& [widget, cells, window, style] = matrix;
    if (!renderer_) renderer_ = std::make_unique<gl::HeatmapRenderer>();
    const Key key = key_of(cells);
    auto found = pictures_.find(widget);
    const bool fits = found != pictures_.end() && found->second.target.width() == width &&
                      found->second.target.height() == height;
    const bool same = fits && found->second.cells == key && found->second.window == window &&
                      found->second.style == style;
    if (same) found->second.used = frame_;
    if (same && !found->second.coarse) return found->second.target.texture();
    const int grain = grain_of(cells, window, width, height);
    const gl::HeatmapTexture* drawn = texture(cells, grain);
    if (drawn == nullptr) return 0;
    const bool coarse = drawn->grain() > grain;
    if (same && coarse) return found->second.target.texture();
    if (!fits) {
        if (found != pictures_.end()) pictures_.erase(found);
        found =
            pictures_.emplace(widget, Picture{gl::RenderTarget(width, height), {}, {}, {}}).first;
    }
    Picture& picture = found->second;
    picture.cells = key;
    picture.window = window;
    picture.style = style;
    picture.coarse = coarse;
    picture.used = frame_;
    renderer_->draw(*drawn, window, style, picture.target);
    note_drawn(picture.target.texture());
    return picture.target.texture();
}

std::uint32_t HeatmapCache::photo(const PhotoPicture& photo) {
    const PhotoKey key{photo.pixels, photo.height, photo.width, photo.smooth};
    auto found = photos_.find(key);
    if (found == photos_.end()) {
        const auto make = [photo] {
            return Levels{gl::image_levels(photo.pixels.get(), photo.height, photo.width,
                                           photo.channels, photo.smooth)};
        };
        if (wake_ && std::int64_t{photo.height} * photo.width > kLarge) {
            ask(key, make);
            return 0;
        }
        keep(key, make());
        found = photos_.find(key);
    }
    found->second.used = frame_;
    return found->second.texture.texture();
}

void HeatmapCache::ask(const Wanted& wanted, std::function<Levels()> make) {
    if (!asked_in_.insert_or_assign(wanted, frame_).second) return;
    if (!results_) results_ = std::make_unique<BackgroundResults<Wanted, Levels>>(wake_);
    results_->ask(wanted, [make = std::move(make)]() -> Levels {
        try {
            return make();
        } catch (const std::bad_alloc&) {
            return {};
        }
    });
}

bool HeatmapCache::take_made() {
    if (!results_) return false;
    const auto made = results_->take();
    for (const auto& [wanted, levels] : made) {
        if (std::holds_alternative<std::monostate>(levels.what)) continue;  // out of memory
        asked_in_.erase(wanted);
        keep(wanted, levels);
    }
    return !made.empty();
}

void HeatmapCache::keep(const Wanted& wanted, const Levels& levels) {
    if (const auto* key = std::get_if<PhotoKey>(&wanted)) {
        Photo photo{gl::ImageTexture(std::get<gl::ImageLevels>(levels.what)), frame_};
        note_drawn(photo.texture.texture());
        photos_.emplace(*key, std::move(photo));
    } else {
        Texture made{gl::HeatmapTexture(std::get<gl::HeatmapLevels>(levels.what)), frame_};
        const std::size_t bytes = made.texture.bytes();
        if (textures_.emplace(std::get<GrainKey>(wanted), std::move(made)).second) bytes_ += bytes;
    }
}

std::uint64_t HeatmapCache::content(std::uint32_t texture) const {
    const auto found = contents_.find(texture);
    return found == contents_.end() ? 0 : found->second;
}

void HeatmapCache::end_frame() {
    std::erase_if(pictures_, [&](const auto& item) { return item.second.used + 2 < frame_; });
    std::erase_if(photos_, [&](const auto& item) { return item.second.used + 2 < frame_; });
    if (bytes_ > kBudget) drop_oldest();
    // No longer shown.
    const auto dropped =
        std::erase_if(asked_in_, [&](const auto& item) { return item.second < frame_; });
    if (dropped > 0) results_->keep([&](const Wanted& what) { return asked_in_.contains(what); });
    ++frame_;
}

// Drops down to half the budget: while a shape is dragged, a hundred textures are new in every
// frame, and sorting them must be rare.
void HeatmapCache::drop_oldest() {
    std::vector<Textures::iterator> unused;
    for (auto item = textures_.begin(); item != textures_.end(); ++item)
        if (item->second.used + 2 < frame_) unused.push_back(item);  // others are on the screen
    std::ranges::sort(unused, {}, [](const auto& item) { return item->second.used; });
    for (const auto& item : unused) {
        if (bytes_ <= kBudget / 2) return;
        bytes_ -= item->second.texture.bytes();
        textures_.erase(item);
    }
}

void HeatmapCache::clear() {
    textures_.clear();
    pictures_.clear();
    photos_.clear();
    contents_.clear();
    results_.reset();
    asked_in_.clear();
    renderer_.reset();
    bytes_ = 0;
}

}  // namespace headlight::ui

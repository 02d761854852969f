#include "ui/heatmap_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headlight::ui {

namespace {
// On the GPU (in main memory where Mesa draws in software).
constexpr std::size_t kBudget = 64U << 20U;

// A thumbnail takes the extremes of many cells for one texel, which are uploaded for it; what is
// larger shares its texture with others, unless that would be too large.
int grain_of(const Cells& cells, const gl::CellWindow& window, int width, int height) {
    constexpr int kThumbnail = 4;
    const bool large = std::int64_t{cells.rows} * cells.cols > std::int64_t{1} << 20U;
    const int grain = gl::grain_for(cells.rows, cells.cols, window, width, height);
    return large || grain >= kThumbnail ? grain : 1;
}

}  // namespace

const gl::HeatmapTexture& HeatmapCache::texture(const Cells& cells, int grain) {
    const Key key{cells.version, cells.data, cells.rows, cells.cols, cells.stride};
    auto found = textures_.lower_bound({key, 0});  // the finest that there is
    if (found == textures_.end() || found->first.first != key || found->first.second > grain) {
        gl::HeatmapTexture texture(cells.data, cells.rows, cells.cols, cells.stride, grain);
        found = textures_.insert_or_assign({key, grain}, Texture{std::move(texture)}).first;
        bytes_ += found->second.texture.bytes();
    }
    found->second.used = frame_;
    return found->second.texture;
}

std::uint32_t HeatmapCache::picture(const MatrixPicture& matrix, int width, int height) {
    const auto& [widget, cells, window, style] = matrix;
    if (!renderer_) renderer_ = std::make_unique<gl::HeatmapRenderer>();
    const Key key{cells.version, cells.data, cells.rows, cells.cols, cells.stride};
    auto found = pictures_.find(widget);
    const bool fits = found != pictures_.end() && found->second.target.width() == width &&
                      found->second.target.height() == height;
    if (fits && found->second.cells == key && found->second.window == window &&
        found->second.style == style) {
        found->second.used = frame_;
        return found->second.target.texture();
    }
    if (!fits) {
        if (found != pictures_.end()) pictures_.erase(found);
        found =
            pictures_.emplace(widget, Picture{gl::RenderTarget(width, height), key, window, style})
                .first;
    }
    Picture& picture = found->second;
    picture.cells = key;
    picture.window = window;
    picture.style = style;
    picture.used = frame_;
    renderer_->draw(texture(cells, grain_of(cells, window, width, height)), window, style,
                    picture.target);
    note_drawn(picture.target.texture());
    return picture.target.texture();
}

std::uint32_t HeatmapCache::photo(const PhotoPicture& photo) {
    const auto& [pixels, height, width, channels, smooth] = photo;
    const auto key = std::make_tuple(pixels, height, width, smooth);
    auto found = photos_.find(key);
    if (found == photos_.end()) {
        gl::ImageTexture texture(pixels.get(), height, width, channels, smooth);
        note_drawn(texture.texture());
        found = photos_.emplace(key, Photo{std::move(texture)}).first;
    }
    found->second.used = frame_;
    return found->second.texture.texture();
}

std::uint64_t HeatmapCache::content(std::uint32_t texture) const {
    const auto found = contents_.find(texture);
    return found == contents_.end() ? 0 : found->second;
}

void HeatmapCache::end_frame() {
    std::erase_if(pictures_, [&](const auto& item) { return item.second.used + 2 < frame_; });
    std::erase_if(photos_, [&](const auto& item) { return item.second.used + 2 < frame_; });
    while (bytes_ > kBudget) {
        const auto oldest = std::min_element(
            textures_.begin(), textures_.end(),
            [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
        if (oldest == textures_.end() || oldest->second.used + 2 >= frame_)
            break;  // all of it is on screen
        bytes_ -= oldest->second.texture.bytes();
        textures_.erase(oldest);
    }
    ++frame_;
}

void HeatmapCache::clear() {
    textures_.clear();
    pictures_.clear();
    photos_.clear();
    contents_.clear();
    renderer_.reset();
    bytes_ = 0;
}

}  // namespace headlight::ui

#include "ui/heatmap_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headlight::ui {

namespace {
// On the GPU (in main memory where Mesa draws in software).
constexpr std::size_t kBudget = 64U << 20U;

// Too large to be uploaded finer than its pictures are; others are uploaded once for all sizes.
bool is_large(const Cells& cells) {
    return std::int64_t{cells.rows} * cells.cols > std::int64_t{1} << 20U;
}
}  // namespace

const gl::HeatmapTexture& HeatmapCache::texture(const Cells& cells, int grain) {
    const Key key{cells.version, cells.data, cells.rows, cells.cols, cells.stride};
    auto found = textures_.find(key);
    if (found != textures_.end() && found->second.texture.grain() > grain) {
        drop(found);
        found = textures_.end();
    }
    if (found == textures_.end()) {
        found = textures_
                    .emplace(key, Texture{gl::HeatmapTexture(cells.data, cells.rows, cells.cols,
                                                             cells.stride, grain)})
                    .first;
        bytes_ += found->second.texture.bytes();
    }
    found->second.used = frame_;
    return found->second.texture;
}

void HeatmapCache::drop(Textures::iterator texture) {
    bytes_ -= texture->second.texture.bytes();
    textures_.erase(texture);
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
    const int grain =
        is_large(cells) ? grain_for(cells.rows, cells.cols, window, width, height) : 1;
    renderer_->draw(texture(cells, grain), window, style, picture.target);
    return picture.target.texture();
}

std::uint32_t HeatmapCache::photo(const PhotoPicture& photo) {
    const auto& [pixels, height, width, channels, smooth] = photo;
    const auto key = std::make_tuple(pixels, height, width, smooth);
    auto found = photos_.find(key);
    if (found == photos_.end()) {
        gl::ImageTexture texture(pixels.get(), height, width, channels, smooth);
        found = photos_.emplace(key, Photo{std::move(texture)}).first;
    }
    found->second.used = frame_;
    return found->second.texture.texture();
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
        drop(oldest);
    }
    ++frame_;
}

void HeatmapCache::clear() {
    textures_.clear();
    pictures_.clear();
    photos_.clear();
    renderer_.reset();
    bytes_ = 0;
}

}  // namespace headlight::ui

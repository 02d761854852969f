#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "gl/heatmap.h"
#include "gl/image_texture.h"
#include "ui/pictures.h"

namespace headlight::ui {

// Textures of matrices and pictures of them, made when first shown and kept while they are used.
// Uploading happens when a matrix is new, drawing when matrix, window, style or size changed.
class HeatmapCache {
  public:
    // The texture of a widget's picture. width, height >= 1 pixels.
    std::uint32_t picture(const MatrixPicture& matrix, int width, int height);
    // Photographs are known by their address, and kept with their texture so that no others come to
    // lie there meanwhile.
    std::uint32_t photo(const PhotoPicture& photo);

    // A number that changes whenever a texture of these shows something else, and that no texture
    // had before; 0 for others.
    [[nodiscard]] std::uint64_t content(std::uint32_t texture) const;

    void end_frame();  // drops what went unused, when over the budget
    void clear();      // everything, e.g. before the GL context goes

  private:
    using Key = std::tuple<std::uint64_t, const float*, int, int, int>;  // of cells
    using GrainKey = std::pair<Key, int>;
    struct Texture {
        gl::HeatmapTexture texture;
        std::uint64_t used = 0;
    };
    struct Picture {
        gl::RenderTarget target;
        Key cells;
        gl::CellWindow window;
        gl::HeatmapStyle style;
        std::uint64_t used = 0;
    };
    struct Photo {
        gl::ImageTexture texture;
        std::uint64_t used = 0;
    };
    using Textures = std::map<GrainKey, Texture>;
    // With texels of at most `grain` cells along one side.
    const gl::HeatmapTexture& texture(const Cells& cells, int grain);
    void note_drawn(std::uint32_t texture) { contents_[texture] = ++drawn_; }

    std::unique_ptr<gl::HeatmapRenderer>
        renderer_;  // made with the first picture, when a context is there
    Textures textures_;
    std::map<std::string, Picture> pictures_;
    std::map<std::tuple<std::shared_ptr<const float>, int, int, bool>, Photo> photos_;
    std::map<std::uint32_t, std::uint64_t> contents_;
    std::uint64_t frame_ = 0, drawn_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace headlight::ui

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "gl/heatmap.h"
#include "gl/image_texture.h"
#include "tasks/background_results.h"
#include "ui/pictures.h"

namespace headlight::ui {

// Textures of matrices and their rendered pictures, created on first use and kept while they are
// used. A new matrix is uploaded once. It is redrawn when the matrix, window, style or size
// changes.
//
// Preparing a large texture takes time: a frame or more for a photograph of 9 million pixels. If a
// wake function is set, this happens in the background, and another frame is requested when it is
// done.
class HeatmapCache {
  public:
    // The texture of a widget's picture; 0 while it is being prepared. width, height >= 1 pixels.
    std::uint32_t picture(const MatrixPicture& matrix, int width, int height);
    // Photographs are identified by their address and kept alive with their texture, so that the
    // address is not reused. 0 while it is being prepared.
    std::uint32_t photo(const PhotoPicture& photo);

    // Called from the background thread to request take_made(). Without it, everything is made
    // synchronously.
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    // Whether something is being prepared or waits to be taken.
    [[nodiscard]] bool busy() const { return results_ && results_->busy(); }
    // True if there is something new to show. Needs the GL context.
    bool take_made();

    // A version number that changes, to a value never used before, whenever the content of one of
    // these textures changes; 0 for other textures.
    [[nodiscard]] std::uint64_t content(std::uint32_t texture) const;
    // Counts all content changes of textures.
    [[nodiscard]] std::uint64_t drawn() const { return drawn_; }

    void end_frame();  // drops unused textures when over the budget
    void clear();      // drops everything, e.g. before the GL context is destroyed

  private:
    using Key = std::tuple<std::uint64_t, const float*, int, int, int>;  // of cells
    using GrainKey = std::pair<Key, int>;
    using PhotoKey = std::tuple<std::shared_ptr<const float>, int, int, bool>;
    struct Texture {
        gl::HeatmapTexture texture;
        std::uint64_t used = 0;
    };
    struct Picture {
        gl::RenderTarget target;
        Key cells;
        gl::CellWindow window;
        gl::HeatmapStyle style;
        bool coarse = false;  // a finer texture is being prepared
        std::uint64_t used = 0;
    };
    struct Photo {
        gl::ImageTexture texture;
        std::uint64_t used = 0;
    };
    using Textures = std::map<GrainKey, Texture>;
    // The source of what is made in the background.
    using Wanted = std::variant<GrainKey, PhotoKey>;
    struct Levels {
        // std::monostate if there was not enough memory.
        std::variant<std::monostate, gl::HeatmapLevels, gl::ImageLevels> what;
        std::shared_ptr<const void> keeper = {};  // of cells still to be uploaded
    };

    static Key key_of(const Cells& cells);
    // The texture with texels of at most `grain` cells along a side. While that is being prepared,
    // a coarser one, or null.
    const gl::HeatmapTexture* texture(const Cells& cells, int grain);
    void ask(const Wanted& wanted, std::function<Levels()> make);
    void keep(const Wanted& wanted, const Levels& levels);
    void drop_oldest();
    void note_drawn(std::uint32_t texture) { contents_[texture] = ++drawn_; }

    std::unique_ptr<gl::HeatmapRenderer>
        renderer_;  // made with the first picture, when a context exists
    Textures textures_;
    std::map<std::string, Picture> pictures_;
    std::map<PhotoKey, Photo> photos_;
    std::map<std::uint32_t, std::uint64_t> contents_;
    std::uint64_t frame_ = 0, drawn_ = 0;
    std::size_t bytes_ = 0;
    int largest_ = 0;                           // maximum side of a texture; 0: not queried yet
    std::map<Wanted, std::uint64_t> asked_in_;  // the frame of the last request
    std::function<void()> wake_;
    std::unique_ptr<BackgroundResults<Wanted, Levels>> results_;  // made with the first large one
};

}  // namespace headlight::ui

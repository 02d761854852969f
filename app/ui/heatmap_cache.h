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

// Textures of matrices and pictures of them, made when first shown and kept while they are used.
// Uploading happens when a matrix is new, drawing when matrix, window, style or size changed.
//
// What a texture is made of takes its time where it is large: a frame or more for a photograph of 9
// million pixels. That is done in the background where somebody is there to be woken for another
// frame.
class HeatmapCache {
  public:
    // The texture of a widget's picture; 0 while it is on its way. width, height >= 1 pixels.
    std::uint32_t picture(const MatrixPicture& matrix, int width, int height);
    // Photographs are known by their address, and kept with their texture so that no others come to
    // lie there meanwhile. 0 while it is on its way.
    std::uint32_t photo(const PhotoPicture& photo);

    // Called from the background thread: "call take_made() soon". Without it all is made at once.
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    // Some is on its way, or there to be taken.
    [[nodiscard]] bool busy() const { return results_ && results_->busy(); }
    // True when there is something new to be shown. Needs the context.
    bool take_made();

    // A number that changes whenever a texture of these shows something else, and that no texture
    // had before; 0 for others.
    [[nodiscard]] std::uint64_t content(std::uint32_t texture) const;
    // Grows with every texture that shows something new.
    [[nodiscard]] std::uint64_t drawn() const { return drawn_; }

    void end_frame();  // drops what went unused, when over the budget
    void clear();      // everything, e.g. before the GL context goes

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
        bool coarse = false;  // a finer texture is on its way
        std::uint64_t used = 0;
    };
    struct Photo {
        gl::ImageTexture texture;
        std::uint64_t used = 0;
    };
    using Textures = std::map<GrainKey, Texture>;
    // What is made in the background, and of what.
    using Wanted = std::variant<GrainKey, PhotoKey>;
    struct Levels {
        // Nothing: there was no memory for it.
        std::variant<std::monostate, gl::HeatmapLevels, gl::ImageLevels> what;
        std::shared_ptr<const void> keeper = {};  // of cells that are still to be uploaded
    };

    static Key key_of(const Cells& cells);
    // With texels of at most `grain` cells along one side; while that is on its way a coarser one,
    // or null.
    const gl::HeatmapTexture* texture(const Cells& cells, int grain);
    void ask(const Wanted& wanted, std::function<Levels()> make);
    void keep(const Wanted& wanted, const Levels& levels);
    void drop_oldest();
    void note_drawn(std::uint32_t texture) { contents_[texture] = ++drawn_; }

    std::unique_ptr<gl::HeatmapRenderer>
        renderer_;  // made with the first picture, when a context is there
    Textures textures_;
    std::map<std::string, Picture> pictures_;
    std::map<PhotoKey, Photo> photos_;
    std::map<std::uint32_t, std::uint64_t> contents_;
    std::uint64_t frame_ = 0, drawn_ = 0;
    std::size_t bytes_ = 0;
    int largest_ = 0;                           // side of a texture; 0: not asked yet
    std::map<Wanted, std::uint64_t> asked_in_;  // the frame in which it was last asked for
    std::function<void()> wake_;
    std::unique_ptr<BackgroundResults<Wanted, Levels>>
        results_;  // made with the first that is large
};

}  // namespace headlight::ui

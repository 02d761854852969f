#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "figure/svg.h"
#include "platform/window.h"

namespace headlight::app {

// The pixels of a window: RGB, row 0 at the top.
struct Picture {
    Extent size;
    std::vector<std::uint8_t> rgb;
};

// Writes atomically, with the provenance. Throws std::runtime_error, naming the file.
void save_png(const std::filesystem::path& path, const Picture& picture,
              const figure::Provenance& facts = {});

// Waits until the graphics card has drawn everything.
void finish_drawing();

// An offscreen render target of any size, independent of monitor and desktop.
class Offscreen {
  public:
    explicit Offscreen(Extent size);  // throws std::runtime_error without enough GPU memory
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    [[nodiscard]] Extent size() const { return size_; }
    void bind();
    Picture read();
    void copy_to_window();  // of the same size

  private:
    Extent size_;
    std::uint32_t framebuffer_ = 0, color_ = 0;
};

}  // namespace headlight::app

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "figure/svg.h"
#include "platform/window.h"

namespace headlight::platform {

// What a window shows: RGB, row 0 at the top.
struct Picture {
    Extent size;
    std::vector<std::uint8_t> rgb;
};

// Whole or not at all, with what made it. Throws std::runtime_error, naming the file.
void save_png(const std::filesystem::path& path, const Picture& picture,
              const figure::Provenance& facts = {});

// A place to draw that is no window: of any size, whatever the monitor and the desktop say.
class Offscreen {
  public:
    explicit Offscreen(Extent size);  // throws std::runtime_error when the GPU has no room for it
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

}  // namespace headlight::platform

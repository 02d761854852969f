#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "platform/picture.h"
#include "platform/window.h"
#include "ui/damage.h"

namespace headlight::platform {

// Dear ImGui's context and its OpenGL renderer; needs a current OpenGL context while it lives. The
// first one is the program's own, and present; others are while they have their turn.
class Gui {
  public:
    // While it lives, all of ImGui means this one.
    class Turn {
      public:
        explicit Turn(const Gui& gui);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

      private:
        ImGuiContext* before_;
    };

    Gui();
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    // Between these two the picture is described; `seconds` since the picture before.
    void begin_frame(Extent size, double seconds);
    void end_frame();

    void fonts_changed();  // their texture is made anew

    // Brings the picture up to what was described last, over the context's background: where this
    // differs from the time before it is drawn, elsewhere its pixels are there.
    // Throws std::runtime_error when the GPU has no room for a picture of that size.
    void render(ui::Context& ui);
    void forget_picture() { damage_.forget(); }
    // Whether the picture is another than the one that was shown last.
    [[nodiscard]] bool has_news() const { return news_; }
    void show();  // the picture, in the window's framebuffer
    [[nodiscard]] Picture read() { return picture_->read(); }

  private:
    ImGuiContext* context_;
    bool started_ = false;  // the renderer's buffers and textures exist
    ui::Damage damage_;
    std::unique_ptr<Offscreen> picture_;  // null before the first
    bool news_ = false;
};

}  // namespace headlight::platform

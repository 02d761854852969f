#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "platform/picture.h"
#include "platform/window.h"
#include "ui/damage.h"

namespace headlight::app {

// A Dear ImGui context with its OpenGL renderer; needs a current OpenGL context throughout its
// lifetime. The program's own is active by default; others are active during a Turn.
class Gui {
  public:
    // Makes this one ImGui's active context during its lifetime.
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

    // Build the picture between these two calls; `seconds`: time since the previous frame.
    void begin_frame(Extent size, double seconds);
    void end_frame();

    void fonts_changed();  // recreates the font texture

    // Renders the last frame over the context's background color. Only the parts that differ from
    // the previous rendering are redrawn. Throws std::runtime_error if there is not enough GPU
    // memory for a picture of that size.
    void render(ui::Context& ui);
    void forget_picture() { damage_.forget(); }
    // Whether the picture differs from the one shown last.
    [[nodiscard]] bool has_news() const { return news_; }
    void show();  // copies the picture to the window's framebuffer
    [[nodiscard]] Picture read() { return picture_->read(); }

  private:
    ImGuiContext* context_;
    bool started_ = false;  // the renderer's buffers and textures exist
    ui::Damage damage_;
    std::unique_ptr<Offscreen> picture_;  // null before the first frame
    bool news_ = false;
};

}  // namespace headlight::app

#pragma once

#include "platform/window.h"

namespace headlight::platform {

// Dear ImGui's context and its OpenGL renderer; needs a current OpenGL context while it lives.
class Gui {
  public:
    Gui();
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    // Between these two the picture is described; `seconds` since the picture before.
    void begin_frame(Extent size, double seconds);
    void end_frame();

    void fonts_changed();  // their texture is made anew

    // Draws what was described last into the bound framebuffer, over the background.
    void render(ImU32 background);

  private:
    bool started_ = false;  // the renderer's buffers and textures exist
};

}  // namespace headlight::platform

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lecture/presentation.h"
#include "lessons_screen/presenter.h"
#include "platform/gui.h"
#include "platform/input.h"

namespace headlight::app {

// The presenter's view of the open lesson, in a window or offscreen. It shares no fonts, pointer or
// textures with the program's view. They are created in the OpenGL context that is current at
// construction, and are used only while that is current.
class Presenter {
  public:
    Presenter();

    struct Heard {
        std::vector<Pressed> keys;
        std::vector<Command> commands;
    };
    // As Application::draw().
    Heard draw(Input& input, Extent size, double seconds, const screens::Presented& presented);
    void render();
    Picture picture();
    [[nodiscard]] bool has_news() const { return gui_.has_news(); }
    void show() { gui_.show(); }

    // Whether it would look the same if drawn now, without further input.
    [[nodiscard]] bool shows(const screens::Presented& presented) const;
    [[nodiscard]] bool frames_due() const { return frames_due_ > 0 || ui_.frame_asked(); }
    void touch() { frames_due_ = 3; }

    [[nodiscard]] const ui::Context& ui() const { return ui_; }
    void record(ui::Recording* into) { ui_.record(into); }
    [[nodiscard]] ImVec2 pointer() const { return pointer_; }
    [[nodiscard]] ImGuiMouseCursor cursor() const { return cursor_; }

  private:
    // The content that a frame was drawn from.
    struct Sight {
        long entry = -1;
        bool black = false, two_monitors = false;
        const ui::Palette* palette = nullptr;
        std::string words, time, elapsed, typed;
        std::size_t page = 0;
        bool away = false, changed = false, answered = false, tried = false;
        std::shared_ptr<const Image> now, next;
        friend bool operator==(const Sight&, const Sight&) = default;
    };
    static Sight sight_of(const screens::Presented& presented);

    Gui gui_;
    ui::Context ui_;
    screens::PresenterMemory memory_;
    Sight sight_;
    ImVec2 pointer_{};
    ImGuiMouseCursor cursor_ = ImGuiMouseCursor_Arrow;
    int frames_due_ = 3;
};

}  // namespace headlight::app

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "frame/scales.h"
#include "kept_glyphs.h"
#include "no_gl.h"
#include "tests/state/support.h"
#include "ui/context.h"
#include "window/content.h"

namespace headlight::testing {

struct PaneSize {
    int width = 0, height = 0;
};

inline ui::FontPaths system_fonts() {
    const assets::FontFiles& fonts = assets::fonts();
    return {fonts.regular, fonts.semibold, fonts.mono, fonts.math, fonts.cjk, fonts.italic};
}

// The window's content without a window: built but not painted.
class Pane {
  public:
    explicit Pane(const ui::FontPaths& fonts = system_fonts()) : ui_(fonts) {
        use_no_gl();
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        keep_glyphs();
    }
    ~Pane() { ImGui::DestroyContext(); }
    Pane(const Pane&) = delete;
    Pane& operator=(const Pane&) = delete;

    // One frame at that monitor scale. Commands of the views are not executed (wanted()).
    void draw(Desk& desk, PaneSize size, float scale) {
        const Look& look = desk.state().look;
        const ui::Rect window{0, 0, static_cast<float>(size.width),
                              static_cast<float>(size.height)};
        const screens::Scales scales = screens::scales_for(look, scale, window.w, window.h);
        ui_.begin(screens::palette_for(look), scales.unit, scales.text, scales.sentence);
        ImGui::GetIO().DisplaySize = {window.w, window.h};
        ImGui::NewFrame();
        ui_.start_frame();
        wanted_ = content_.draw(ui_, *desk.operator->(), window);
        ImGui::Render();
        ui_.end();
    }

    // Draws until the studies of the screen have answered, and at least so many frames.
    void draw_until_answered(Desk& desk, PaneSize size, float scale, int least = 3) {
        for (int i = 0; i < 5000 && (i < least || ui_.frame_asked()); ++i) {
            draw(desk, size, scale);
            if (ui_.frame_asked()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    // The pointer for the next frame: at the middle of a widget of the last one, if it exists.
    void point_at(const std::string& widget) {
        ImVec2 place{-100, -100};
        ui_.find(widget, place);
        ui::tell_pointer(place.x, place.y);
    }
    void point_at(float x, float y) { ui::tell_pointer(x, y); }
    void point_nowhere() { ui::tell_pointer(-100, -100); }
    void press(bool down) { ui::tell_button(0, down); }

    bool takes_key(const std::string& key) { return content_.takes_key(key); }
    // The commands of the views in the last frame.
    [[nodiscard]] const std::vector<Command>& wanted() const { return wanted_; }

    void read_with(const lessons::Reader* reader) { content_.set_reader(reader); }
    [[nodiscard]] const ui::Context& ui() const { return ui_; }
    [[nodiscard]] ui::Context& ui() { return ui_; }

    // Starts with the next frame.
    const ui::Recording& record() {
        ui_.record(&recording_);
        return recording_;
    }
    // The texts in a widget of the last frame.
    [[nodiscard]] std::vector<std::string> texts(const std::string& widget) const {
        std::vector<std::string> texts;
        for (ui::DrawnText& text : recording_.texts(ui_.names().at(widget).rect))
            texts.push_back(std::move(text.text));
        return texts;
    }

  private:
    ui::Recording recording_;
    ui::Context ui_;
    screens::Content content_;
    std::vector<Command> wanted_;
};

// The texts of a frame in which the window shows what `content` draws.
inline std::vector<ui::DrawnText> drawn_by(Pane& pane,
                                           const std::function<void(ui::Context&)>& content,
                                           float scale = 1) {
    const ui::Recording& drawn = pane.record();
    ui::Context& ui = pane.ui();
    ui.begin(ui::dark_palette(), scale, 1);
    ImGui::GetIO().DisplaySize = {400, 300};
    ImGui::NewFrame();
    ui.start_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({400, 300});
    ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
    content(ui);
    ImGui::End();
    ImGui::Render();
    ui.end();
    return drawn.texts({0, 0, 400, 300});
}

}  // namespace headlight::testing

#include "views/screen.h"

#include <algorithm>
#include <cmath>

#include "views/file_browser.h"
#include "views/overlay.h"
#include "views/panels.h"

namespace headlight::views {

namespace {

// Widths of the side columns in pixels: as chosen, but the stage keeps the larger half.
struct Columns {
    float left = 0, right = 0;
};
Columns columns_for(const Scene& scene, float width) {
    const Look& look = scene.state.look;
    Columns columns{scene.px(look.left_width), scene.px(look.right_width)};
    // A lecturer says what the inspector writes; it stays where it costs the stage nothing.
    if (look.lecture) return {width * 0.25F, width > scene.px(1800) ? width * 0.24F : 0};
    const float most = width * 0.5F;
    const float sum = columns.left + columns.right;
    if (sum > most) {
        columns.left *= most / sum;
        columns.right *= most / sum;
    }
    return columns;
}

void column_handles(Scene& scene, const ui::Rect& body, const Columns& columns) {
    if (scene.state.look.lecture) return;
    const float grip = scene.px(8);
    float moved = 0;
    const auto text = [&](float width) {
        return std::to_string(
            static_cast<int>(std::clamp(std::round(width / scene.px(1)), 200.0F, 900.0F)));
    };
    auto slid = ui::splitter(scene.ui, "columns.left",
                             {body.x + columns.left - grip / 2, body.y, grip, body.h}, moved);
    if (slid.changed) scene.set("left_width", text(columns.left + moved));
    if (slid.released) scene.memory.gesture_ended = true;
    slid = ui::splitter(scene.ui, "columns.right",
                        {body.x + body.w - columns.right - grip / 2, body.y, grip, body.h}, moved);
    if (slid.changed) scene.set("right_width", text(columns.right - moved));
    if (slid.released) scene.memory.gesture_ended = true;
}

void walk(Scene& scene, ui::Rect window) {
    const float text = scene.ui.text_scale();
    const bool low = window.h < scene.px(820);
    if (!scene.state.look.lecture) top_bar(scene, window.cut_top(scene.px(44)));
    ribbon(scene, window.cut_top(ribbon_height(scene, low)));
    transport(scene, window.cut_bottom(scene.px(low ? 56.0F : 68.0F) * (text > 1 ? 1.3F : 1.0F)));

    const Columns columns = columns_for(scene, window.w);
    ui::Rect body = window;
    ui::Canvas canvas(scene.ui);
    const ui::Rect left = body.cut_left(columns.left), right = body.cut_right(columns.right);
    canvas.line({left.x + left.w, left.y}, {left.x + left.w, left.y + left.h},
                scene.colors().border);
    ui::Rect pane = left.inset(scene.px(16), scene.px(12));
    image_panel(scene, pane);
    heads_panel(scene, pane);
    notice_bar(scene, body);
    stage(scene, body);
    if (right.w > 0) {
        canvas.line({right.x, right.y}, {right.x, right.y + right.h}, scene.colors().border);
        inspector(scene, {right.x + scene.px(16), right.y + scene.px(12), right.w - scene.px(20),
                          right.h - scene.px(12)});
    }
    column_handles(scene, window, columns);
}

void panel_over(Scene& scene, const ui::Rect& window) {
    switch (scene.work.panel()) {
        case Panel::nothing:
            break;
        case Panel::files:
            file_browser(scene.ui, scene.work, *scene.memory.browser, scene.out, window);
            break;
        case Panel::model:
            model_panel(scene, window);
            break;
        case Panel::help:
            help_panel(scene, window);
            break;
        case Panel::about:
            about_panel(scene, window);
            break;
    }
}

// Hover found in this frame is what all views light up in the next: the same frame for all of them.
void turn_frame(ui::Context& ui, Memory& memory) {
    const bool same = memory.hovered == memory.next_hovered &&
                      memory.lit_symbol == memory.next_lit_symbol &&
                      memory.hovered_head == memory.next_hovered_head;
    if (!same) ui.ask_for_frame();
    memory.hovered = memory.next_hovered;
    memory.lit_symbol = memory.next_lit_symbol;
    memory.hovered_head = memory.next_hovered_head;
    memory.derived.end_frame();
}

// What the person chose of the walk that is shown; A's may be without it.
const Node& node_in_view(const Trace& trace, Step chosen) {
    const Node* node = trace.node(chosen);
    return node != nullptr ? *node : trace.nodes.front();
}

}  // namespace

Screen::Screen() : memory_(std::make_unique<Memory>()) {}
Screen::~Screen() = default;

std::vector<Command> Screen::draw(ui::Context& ui, const Workspace& work, ui::Rect window) {
    std::vector<Command> out;
    Memory& memory = *memory_;
    memory.gesture_ended = false;
    memory.panel = work.panel();
    memory.next_hovered = {};
    memory.next_lit_symbol.clear();
    memory.next_hovered_head.reset();
    ImGui::SetNextWindowPos(window.min());
    ImGui::SetNextWindowSize({window.w, window.h});
    ImGui::PushFont(ui.fonts().get(ui::Face::words, ui::Size::small));
    ImGui::Begin("walk", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoScrollWithMouse);
    if (work.trace() && work.summary()) {
        const State& state = work.state();
        const bool before = state.look.compare == Compare::before && work.pinned_trace();
        const Trace& trace = before ? *work.pinned_trace() : *work.trace();
        Scene scene{ui,
                    work,
                    state,
                    trace,
                    before ? *work.pinned_summary() : *work.summary(),
                    before ? *state.pinned : work.trace_recipe(),
                    memory,
                    out,
                    resolve_focus(state, trace, memory),
                    node_in_view(trace, state.selection.step)};
        const int heads = static_cast<int>(scene.trace.shape.heads);
        scene.head = std::clamp(memory.hovered_head.value_or(state.selection.head), 0, heads - 1);
        scene.focus.head = scene.head;
        walk(scene, window);
        ImGui::End();
        panel_over(scene, window);
    } else {
        waiting_room(ui, work, out, window);
        ImGui::End();
        if (work.panel() == Panel::files) file_browser(ui, work, *memory.browser, out, window);
    }
    ui.draw_tooltip();
    ImGui::PopFont();
    turn_frame(ui, memory);
    return out;
}

bool Screen::takes_key(std::string_view key) const {
    // An open menu keeps all keys but a clicker's, and those of the whole window.
    const bool of_all = key.starts_with("Ctrl+") || key.starts_with("F") || key.starts_with("Page");
    const bool of_menu = !of_all && ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
    return of_menu || ImGui::GetIO().WantTextInput || scrolls(memory_->panel, key) ||
           views::takes_key(*memory_->browser, key);
}

bool Screen::gesture_ended() const { return memory_->gesture_ended; }

}  // namespace headlight::views

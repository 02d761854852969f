#include <cmath>

#include "views/panels.h"

namespace headlight::views {

void notice_bar(Scene& scene, const ui::Rect& stage) {
    const Notice& notice = scene.work.notice();
    if (notice.text.empty()) return;
    scene.ui.report("notice", notice.text);
    const float width = std::min(stage.w - scene.px(40), scene.px(720) * scene.ui.text_scale());
    const ui::TextStyle style{.size = ui::Size::small};
    const float close = scene.line() + scene.px(8), text_width = width - scene.px(40) - close;
    const float tall = ui::Canvas(scene.ui).measure_wrapped(notice.text, style, text_width).y;
    const ui::Rect box{std::round(stage.center().x - width / 2), stage.y + scene.px(12),
                       std::round(width), std::round(tall + scene.px(24))};
    // A window of its own: it takes the mouse from the stage below it.
    ImGui::SetNextWindowPos(box.min());
    ImGui::SetNextWindowSize({box.w, box.h});
    ImGui::Begin("notice", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ui::Canvas canvas(scene.ui);
    canvas.card(box, scene.colors().card);
    canvas.fill({box.x, box.y + scene.px(8), scene.px(4), box.h - scene.px(16)},
                notice.is_error ? scene.colors().error : scene.colors().ok, scene.px(2));
    canvas.wrapped({box.x + scene.px(20), box.y + scene.px(12), text_width, tall}, notice.text,
                   style);
    const ui::Rect corner{box.x + box.w - close - scene.px(8), box.center().y - close / 2, close,
                          close};
    if (ui::button(scene.ui, "notice.close", corner, "", ui::ButtonLook::plain, "Dismiss   Esc",
                   ui::Icon::close))
        scene.say("dismiss");
    ImGui::End();
    scene.ui.name("notice", {box, {0, 0, 0, 0}});
}

void waiting_room(ui::Context& ui, const Workspace& work, std::vector<Command>& out,
                  const ui::Rect& window) {
    ui::Canvas canvas(ui);
    const ui::Palette& colors = ui.colors();
    const bool failed = !work.busy();
    ui::Rect rest{window.x, window.center().y - ui.px(90), window.w, ui.px(240)};
    canvas.label(rest.cut_top(ui.line(ui::Size::large)), "Headlight",
                 {.face = ui::Face::bold, .size = ui::Size::large, .align = ui::Align::center});
    rest.cut_top(ui.px(12));
    const std::string text = !failed ? "Reading the picture and computing the layer…"
                             : work.notice().text.empty() ? "There is no picture yet."
                                                          : work.notice().text;
    if (failed) ui.report("notice", work.notice().text);
    canvas.label(rest.cut_top(ui.line(ui::Size::body)).inset(ui.px(40), 0), text,
                 {.size = ui::Size::body,
                  .color = failed ? colors.error : colors.dim,
                  .align = ui::Align::center});
    rest.cut_top(ui.px(16));
    if (failed) {
        const float width = ui::button_width(ui, "Open another image", ui::Icon::folder);
        const ui::Rect place{window.center().x - width / 2, rest.y, width,
                             ui.line(ui::Size::small) + ui.px(14)};
        if (ui::button(ui, "waiting.open", place, "Open another image", ui::ButtonLook::outlined,
                       "Ctrl+O", ui::Icon::folder))
            out.push_back(command("show", "files"));
    } else if (work.show_progress()) {
        const ui::Rect bar{window.center().x - ui.px(120), rest.y, ui.px(240), ui.px(4)};
        canvas.fill(bar, colors.border, ui.px(2));
        canvas.fill({bar.x, bar.y, bar.w * work.progress(), bar.h}, colors.accent, ui.px(2));
        const float width = ui::button_width(ui, "Cancel");
        const ui::Rect place{window.center().x - width / 2, bar.y + ui.px(20), width,
                             ui.line(ui::Size::small) + ui.px(14)};
        if (ui::button(ui, "waiting.cancel", place, "Cancel")) out.push_back(command("cancel"));
    }
}

}  // namespace headlight::views

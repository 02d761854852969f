#include <filesystem>

#include "chrome/chrome.h"
#include "chrome/model_text.h"

namespace headlight::screens {

namespace {

bool chip(Frame& frame, ui::Rect& rest, const std::string& name, const std::string& label,
          const std::string& tip, ui::Icon icon = ui::Icon::none) {
    const float width = std::min(ui::button_width(frame.ui, label, icon),
                                 std::max(0.0F, rest.w - frame.px(150) * frame.ui.text_scale()));
    if (width < frame.px(40)) return false;  // no room left for it in this window
    const ui::Rect place = rest.cut_right(width);
    rest.cut_right(frame.px(8));
    return ui::button(frame.ui, name, place, label, ui::ButtonLook::outlined, tip, icon);
}

// The model in view; while another one takes its time, that one.
std::string model_text(const Frame& frame) {
    const std::string& wanted = frame.state.recipe.weights;
    if (frame.work.show_progress() && wanted != frame.work.trace_recipe().weights)
        return wanted.empty() ? "Closing the model…"
                              : "Opening " + model_name_of(frame.state.recipe) + "…";
    return model_name_of(frame.recipe) + " · " + model_kind(frame.trace, frame.recipe);
}

std::string image_text(const Frame& frame) {
    const std::string file = frame.recipe.scene
                                 ? "Scene"
                                 : std::filesystem::path(frame.recipe.image).filename().string();
    return file + " · " + std::to_string(frame.trace.source->width) + "×" +
           std::to_string(frame.trace.source->height);
}

// The one that is shown is underlined. Those that have no room are still in the keys.
void tabs(Frame& frame, ui::Rect rest, std::span<const Screen> screens) {
    ui::Canvas canvas(frame.ui);
    int number = 0;
    for (const Screen& screen : screens) {
        ++number;
        const bool shown = screen.id == frame.state.look.screen;
        const float width = canvas.measure(screen.title, {.size = ui::Size::body}) + frame.px(20);
        if (rest.w < width) return;
        const ui::Rect tab = rest.cut_left(width);
        const std::string name(name_of(screen.id));
        const auto mouse = ui::interact(frame.ui, "top.tab." + name, tab);
        canvas.label(tab, screen.title,
                     {.size = ui::Size::body,
                      .color = shown || mouse.hovered ? frame.colors().text : frame.colors().dim,
                      .align = ui::Align::center});
        const float thick = frame.px(2);
        if (shown)
            canvas.fill({tab.x + frame.px(10), tab.y + tab.h + frame.px(7) - thick,
                         tab.w - frame.px(20), thick},
                        frame.colors().accent);
        if (mouse.hovered)
            frame.ui.tooltip(std::string(screen.title) + "   Ctrl+" + std::to_string(number));
        if (mouse.clicked) frame.set("screen", name);
    }
}

}  // namespace

float top_bar_height(const Frame& frame) { return frame.state.look.lecture ? 0 : frame.px(44); }

void top_bar(Frame& frame, const ui::Rect& rect, std::span<const Screen> screens) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y + rect.h - 1}, {rect.x + rect.w, rect.y + rect.h - 1},
                frame.colors().border);
    ui::Rect rest = rect.inset(frame.px(16), frame.px(7));
    // From the right, the most needed first: what has no room is still in the keys and the help.
    if (chip(frame, rest, "top.help", "Help  ?", "All keys, and what can be done with the mouse"))
        frame.say("show", "help");
    if (chip(frame, rest, "top.lecture", "Lecture view  F11",
             "Text twice as large, and only what a lecture needs"))
        frame.set("lecture", "on");
    const bool dark = frame.state.look.theme == Theme::dark;
    if (chip(frame, rest, "top.theme", dark ? "Light" : "Dark", "Change the theme   T"))
        frame.set("theme", dark ? "light" : "dark");
    if (frame.trace.source && chip(frame, rest, "top.open", image_text(frame),
                                   "Open an image, a scene or a model   Ctrl+O", ui::Icon::folder))
        frame.say("show", "files");
    if (chip(frame, rest, "top.model", model_text(frame), "What is known about the model   M"))
        frame.say("show", "model");
    const ui::TextStyle name{.face = ui::Face::bold, .size = ui::Size::body};
    canvas.label(rest.cut_left(canvas.measure("Headlight", name) + frame.px(20)), "Headlight",
                 name);
    tabs(frame, rest, screens);
}

}  // namespace headlight::screens

#include <algorithm>
#include <fstream>
#include <string>

#include "assets/assets.h"
#include "state/keys.h"
#include "views/panels.h"

namespace headlight::views {

namespace {

// A dimmed window with a card in its middle that takes the mouse from everything below.
// Returns the inside of the card; the caller ends it with end_overlay().
ui::Rect begin_overlay(Scene& scene, const ui::Rect& window, const std::string& name,
                       const std::string& title) {
    ImGui::SetNextWindowPos(window.min());
    ImGui::SetNextWindowSize({window.w, window.h});
    ImGui::SetNextWindowFocus();
    ImGui::Begin(name.c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ui::Canvas canvas(scene.ui);
    canvas.fill(window, IM_COL32(0, 0, 0, 150));
    const float width = std::min(window.w * 0.9F, scene.px(960) * scene.ui.text_scale());
    const float height = window.h * 0.86F;
    const ui::Rect card{std::round(window.x + (window.w - width) / 2),
                        std::round(window.y + (window.h - height) / 2), width, height};
    canvas.card(card, scene.colors().card);
    scene.ui.name(name, {card, {0, 0, 0, 0}});
    ui::Rect inside = card.inset(scene.px(28), scene.px(20));
    ui::Rect head = inside.cut_top(scene.line(ui::Size::body) + scene.px(8));
    if (ui::button(scene.ui, name + ".close", head.cut_right(head.h), "", ui::ButtonLook::plain,
                   "Close   Esc", ui::Icon::close))
        scene.say("show", "nothing");
    canvas.label(head, title, {.face = ui::Face::bold, .size = ui::Size::body});
    inside.cut_top(scene.px(8));
    if (ImGui::IsMouseClicked(0) && !card.contains(ImGui::GetIO().MousePos))
        scene.say("show", "nothing");
    return inside;
}

void end_overlay() { ImGui::End(); }

constexpr std::array<std::array<const char*, 2>, 8> kMouse{{
    {"Hover", "a patch, row, cell or head lights it everywhere"},
    {"Click", "pins it; Esc lets go"},
    {"Wheel", "over a matrix zooms in, down to single numbers"},
    {"Right button", "drags a zoomed matrix; a double click shows all of it"},
    {"Double click", "on a head shows it alone"},
    {"Drop", "a picture onto the window opens it"},
    {"Drag", "the borders of the side columns to resize them"},
    {"Hover a symbol", "in the equation to find its matrix"},
}};

using Entries = std::vector<std::pair<std::string_view, std::string_view>>;

// A caption and its lines, taken off the top.
void list_entries(Scene& scene, ui::Rect& rect, std::string_view title, const Entries& entries) {
    ui::Canvas canvas(scene.ui);
    const ui::TextStyle name{
        .face = ui::Face::mono, .size = ui::Size::small, .color = scene.colors().accent};
    float widest = 0;
    for (const auto& entry : entries) widest = std::max(widest, canvas.measure(entry.first, name));
    canvas.caption(rect.cut_top(scene.line()), title);
    rect.cut_top(scene.px(6));
    for (const auto& [what, does] : entries) {
        ui::Rect words = rect;
        words.cut_left(widest + scene.px(20));
        canvas.wrapped({rect.x, rect.y, widest + 1, scene.line()}, what, name);
        rect.cut_top(canvas.wrapped(words, does, {.size = ui::Size::small}) + scene.px(5));
    }
}

}  // namespace

void help_panel(Scene& scene, const ui::Rect& window) {
    ui::Rect inside = begin_overlay(scene, window, "help", "Keys and mouse");
    ui::Rect foot = inside.cut_bottom(scene.line() + scene.px(12));
    foot.cut_top(scene.px(6));
    if (ui::button(scene.ui, "help.about",
                   foot.cut_left(ui::button_width(scene.ui, "About Headlight")), "About Headlight"))
        scene.say("show", "about");
    inside.cut_bottom(scene.px(8));
    ImGui::SetCursorScreenPos(inside.min());
    ImGui::BeginChild("help.scroll", {inside.w, inside.h}, false, ImGuiWindowFlags_NoBackground);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    ui::Rect rest{top.x, top.y, inside.w - scene.px(14), 1e6F};
    Entries keys, mouse;
    for (const KeyBinding& key : all_keys()) keys.push_back({key.keys, key.what});
    for (const auto& [what, does] : kMouse) mouse.push_back({what, does});
    const float gap = scene.px(32);
    const bool beside = rest.w > scene.px(760) * scene.ui.text_scale();
    ui::Rect left = beside ? rest.cut_left((rest.w - gap) * 0.46F) : rest;
    list_entries(scene, left, "KEYS", keys);
    ui::Rect right = beside ? rest : left;
    right.cut_left(beside ? gap : 0);
    if (!beside) right.cut_top(scene.px(12));
    list_entries(scene, right, "MOUSE", mouse);
    ImGui::SetCursorScreenPos({top.x, std::max(left.y, right.y)});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    end_overlay();
}

void about_panel(Scene& scene, const ui::Rect& window) {
    const ui::Rect inside =
        begin_overlay(scene, window, "about", "About Headlight " HEADLIGHT_VERSION);
    ImGui::SetCursorScreenPos(inside.min());
    ImGui::BeginChild("about.scroll", {inside.w, inside.h}, false, ImGuiWindowFlags_NoBackground);
    ui::Canvas canvas(scene.ui);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    ui::Rect rest{top.x, top.y, inside.w - scene.px(14), 1e6F};
    const auto paragraph = [&](std::string_view text, ui::Face face, ImU32 color) {
        const float used =
            canvas.wrapped(rest, text, {.face = face, .size = ui::Size::small, .color = color});
        rest.cut_top(used + scene.px(2));
    };
    paragraph(
        "Headlight shows a vision transformer's attention layer step by step, with every number "
        "computed and every number checked.",
        ui::Face::words, scene.colors().text);
    rest.cut_top(scene.px(8));
    if (scene.memory.licences.empty()) {
        std::ifstream file(assets::directory() / "licences.md");
        for (std::string line; std::getline(file, line);) scene.memory.licences.push_back(line);
    }
    for (const std::string& line : scene.memory.licences) {
        if (line.empty() || line.starts_with("# "))
            rest.cut_top(scene.px(6));
        else if (line.starts_with("## "))
            paragraph(line.substr(3), ui::Face::bold, scene.colors().text);
        else
            paragraph(line, ui::Face::words, scene.colors().dim);
    }
    ImGui::SetCursorScreenPos({top.x, rest.y});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    end_overlay();
}

}  // namespace headlight::views

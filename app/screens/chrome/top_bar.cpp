#include <algorithm>
#include <filesystem>

#include "chrome/change_badge.h"
#include "chrome/chrome.h"
#include "chrome/model_text.h"
#include "frame/lecture_head.h"
#include "frame/picture.h"
#include "kernels/counted.h"

namespace headlight::screens {

namespace {

// The menu at the right end of the bar for actions without another place. All have keys too. On an
// upright phone it stands for the badge of changes.
void top_menu(Frame& frame, ui::Layout& rest) {
    const float width = ui::button_width(frame.ui, "Menu");
    if (width > rest.w) return;  // the window is too narrow
    const ui::Rect place = rest.right(width, 8);
    const bool dark = frame.state.look.theme == Theme::dark;
    struct Line {
        std::string_view name;
        std::string words;
        Command command;
    };
    std::vector<Line> lines{{"commands", "Find a command…   Ctrl+K", command("show", "palette")},
                            {"examples", "Examples…   E", command("show", "examples")},
                            {"lecture", "Lecture view   F11", command("set", "lecture", "on")},
                            {"theme", dark ? "Light theme   T" : "Dark theme   T",
                             command("set", "theme", dark ? "light" : "dark")},
                            {"help", "Manual and keys   F1", command("show", "help")}};
    if (frame.small)  // its large type has no room there
        std::erase_if(lines, [](const Line& line) { return line.name == "lecture"; });
    const bool marks = frame.is_upright_phone() && is_changed(frame);
    if (marks && !frame.before())
        lines.insert(lines.begin(),
                     {"reset", "Undo all changes to the model", command("reset", "all")});
    std::vector<std::string_view> names;
    std::vector<std::string> words;
    for (const Line& line : lines) {
        names.push_back(line.name);
        words.push_back(line.words);
    }
    const int chosen = ui::menu_button(frame.ui, "top.menu", place, "Menu", names,
                                       "Commands, examples, theme and manual", words,
                                       marks ? ui::ButtonLook::marked : ui::ButtonLook::outlined);
    if (chosen >= 0) frame.out.push_back(lines[static_cast<std::size_t>(chosen)].command);
}

// A name and remarks about it.
struct Title {
    std::string name;
    std::vector<std::string> about;  // longest to shortest
    ui::Icon icon = ui::Icon::none;

    // The name is shortened, and the remark dropped where too little of the name would remain.
    [[nodiscard]] std::string in(Frame& frame, float room) const {
        const ui::Canvas canvas(frame.ui);
        const ui::TextStyle style{};
        const float words =
            room - (ui::button_width(frame.ui, name, icon) - canvas.measure(name, style));
        for (const std::string& last : about) {
            const std::string end = " · " + last;
            const float left = words - canvas.measure(end, style);
            if (canvas.measure(name, style) <= left) return name + end;
            if (left > frame.px(96)) return canvas.shortened(name, style, left) + end;
        }
        return canvas.shortened(name, style, words);
    }
    [[nodiscard]] float width(Frame& frame) const {
        const std::string all = about.empty() ? name : name + " · " + about.front();
        return ui::button_width(frame.ui, all, icon) + 1;
    }
};

// The model on display; during a slow load, the new one.
Title model_title(const Frame& frame) {
    const std::string& wanted = frame.state.recipe.weights;
    if (frame.work.show_progress() && wanted != frame.work.trace_recipe().weights)
        return {wanted.empty() ? "Closing the model…"
                               : "Opening " + model_name_of(frame.state.recipe) + "…",
                {}};
    return {model_name_of(frame.recipe),
            {model_kind(frame.trace, frame.recipe), model_kind(frame.trace, frame.recipe, false)}};
}

std::string model_tip(const Frame& frame) {
    const std::string assumed = heads_assumed(frame.trace, frame.recipe);
    const std::string head = head_note(*frame.trace.model);
    return "Facts about " + model_name_of(frame.recipe) + "   M" +
           (assumed.empty() ? "" : "\n" + assumed) + (head.empty() ? "" : "\n" + head);
}

// The title for given tokens; "" for a picture.
std::string given_title(const Frame& frame) {
    if (const auto* set = std::get_if<VectorSet>(&frame.recipe.tokens))
        return counted(std::ssize(set->vectors), has_words(*set) ? "word" : "vector");
    if (const auto* file = std::get_if<TokenFile>(&frame.recipe.tokens))
        return std::filesystem::path(file->file).filename().string();
    return gives_tokens(frame.recipe.tokens) ? "Signal" : "";
}

Title image_title(const Frame& frame) {
    if (const std::string given = given_title(frame); !given.empty())
        return {given,
                {std::to_string(frame.trace.shape.queries) + "×" +
                 std::to_string(frame.trace.cols(Tensor::input))},
                ui::Icon::folder};
    const std::string file = frame.recipe.scene
                                 ? "Scene"
                                 : std::filesystem::path(frame.recipe.image).filename().string();
    return {file,
            {std::to_string(frame.trace.source->width) + "×" +
             std::to_string(frame.trace.source->height)},
            ui::Icon::folder};
}

// At the right end of the remaining space; hidden if that is too narrow to be legible.
bool title_button(Frame& frame, ui::Layout& rest, const std::string& name, const Title& title,
                  float width, const std::string& tip) {
    const ui::Rect place = rest.right(width, 8);
    if (place.w < frame.px(40)) return false;
    const std::string text = title.in(frame, place.w);
    frame.ui.report(name, text);
    return ui::button(frame.ui, name, place, text, ui::ButtonLook::outlined, tip, title.icon);
}

std::string image_tip(const Frame& frame, const Title& image) {
    std::string tip = image.name;
    if (const std::string words = transparency_of(frame.trace); !words.empty())
        tip += "\nShown with " + words;
    return tip + "\nOpens an image, a scene, a model or tokens   Ctrl+O";
}

// The model and the picture share the space.
void titles(Frame& frame, ui::Layout rest) {
    const Title model = model_title(frame);
    const float model_wants = model.width(frame);
    if (frame.trace.source || gives_tokens(frame.recipe.tokens)) {
        const Title image = image_title(frame);
        const float room = std::max(0.0F, rest.w - frame.px(8)), wants = image.width(frame),
                    bare = ui::button_width(frame.ui, image.name, image.icon) + 1,
                    least = std::min(wants, std::clamp(bare, room * 0.4F, room * 0.6F));
        if (title_button(frame, rest, "top.open", image,
                         std::clamp(room - model_wants, least, wants), image_tip(frame, image)))
            frame.say("show", "files");
    }
    if (title_button(frame, rest, "top.model", model, std::min(model_wants, rest.w),
                     model_tip(frame)))
        frame.say("show", "model");
}

// The width at which neither name is shortened.
float titles_want(Frame& frame) {
    const bool image = frame.trace.source || gives_tokens(frame.recipe.tokens);
    return model_title(frame).width(frame) +
           (image ? image_title(frame).width(frame) + frame.px(8) : 0);
}

// In lecture view, only the badge of changes is shown, if there are any.
void lecture_bar(Frame& frame, ui::Layout rest) {
    rest.right(lecture_exit_width(frame));
    if (!rest.empty()) change_badge(frame, rest.left(change_badge_width(frame, rest.w)));
}

// From the left, with the current tab underlined. Tabs that do not fit are still available by key.
void tabs(Frame& frame, ui::Layout& rest, std::span<const Screen> screens) {
    ui::Canvas canvas(frame.ui);
    int number = 0;
    for (const Screen& screen : screens) {
        ++number;
        // Not all tabs fit, and Positions needs a larger window.
        if (frame.is_upright_phone() && screen.id == ScreenId::positions) continue;
        const bool shown = screen.id == frame.state.look.screen ||
                           (screen.id == ScreenId::lessons && frame.in_lesson());
        const std::string title(words_of(screen.id).title);
        const float width = canvas.measure(title, {.size = ui::Size::body}) + frame.px(20);
        if (rest.w < width) return;
        const ui::Rect tab = rest.left(width);
        const std::string name(name_of(screen.id));
        const auto mouse = ui::interact(frame.ui, "top.tab." + name, tab);
        canvas.label(tab, title,
                     {.size = ui::Size::body,
                      .color = shown || mouse.hovered ? frame.colors().text : frame.colors().dim,
                      .align = ui::Align::center});
        const float thick = frame.px(2);
        if (shown)
            canvas.fill({tab.x + frame.px(10), tab.y + tab.h + frame.px(7) - thick,
                         tab.w - frame.px(20), thick},
                        frame.colors().accent);
        if (mouse.hovered) frame.ui.tooltip(title + "   Ctrl+" + std::to_string(number));
        if (mouse.clicked) frame.set("screen", name);
    }
    rest.skip_left(12);
}

}  // namespace

float top_bar_height(const Frame& frame) {
    if (!frame.state.look.lecture) return frame.px(44);
    return is_changed(frame) ? frame.line() + frame.px(12) : 0;
}

void top_bar(Frame& frame, const ui::Rect& rect, std::span<const Screen> screens) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y + rect.h - 1}, {rect.x + rect.w, rect.y + rect.h - 1},
                frame.colors().border);
    ui::Layout rest(frame.ui, rect, 16, 7);
    if (frame.state.look.lecture) return lecture_bar(frame, rest);
    const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::body};
    if (!frame.is_upright_phone()) rest.words_left("Headlight", bold, 16);
    tabs(frame, rest, screens);
    top_menu(frame, rest);
    const float badge =
        frame.is_upright_phone()
            ? 0
            : change_badge_width(
                  frame, std::min(rest.w * 0.45F, rest.w - titles_want(frame) - frame.px(8)));
    change_badge(frame, rest.left(badge));
    if (badge > 0) rest.skip_left(8);
    titles(frame, rest);
}

}  // namespace headlight::screens

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "assets/assets.h"
#include "chrome/chrome.h"
#include "disk/read_file.h"
#include "frame/overlay.h"
#include "state/keys.h"

namespace headlight::screens {

namespace {

constexpr std::array<std::array<const char*, 2>, 14> kMouse{{
    {"Hover", "highlights a patch, row, cell or head everywhere"},
    {"Click", "pins it; Esc releases it"},
    {"Wheel", "over a matrix zooms in, down to single numbers; Esc shows all of it"},
    {"Right button", "drags a zoomed matrix; a double click shows all of it"},
    {"Double click", "on a head shows it alone; on a map of the Heads screen opens it in Walk"},
    {"Power sign", "on a head switches it off and on, as does Ctrl-click in the map of all layers"},
    {"Ctrl and wheel",
     "on Heads zooms the maps; the wheel and a drag move them, Esc shows all of them"},
    {"Shift-click", "on Heads, on a patch of any map, adds a query with its own hue"},
    {"Paint", "the cells or patches to mask, while “paint by hand” is on under MASK"},
    {"Click", "one of the six kinds of scores to choose it, at step Q·K of a single layer"},
    {"Drop",
     "a picture, a folder of pictures, a model, tokens, a lesson or an example onto the window to "
     "open it"},
    {"Drag", "the borders of the side columns to resize them"},
    {"Drag",
     "over the text of a lesson selects it; a double click selects a word, a third click the "
     "paragraph"},
    {"Hover a symbol", "in the equation to find its matrix"},
}};

constexpr std::array<std::array<const char*, 2>, 6> kShapes{{
    {"Drag", "a shape of the scene to move it; the prediction follows"},
    {"Wheel", "over a shape resizes it"},
    {"Shift-drag", "turns it"},
    {"Double click", "on a shape to change its kind, its color or its twin"},
    {"Click", "pins the patch there and chooses the shape"},
    {"Delete", "removes the chosen shape"},
}};

constexpr std::array<std::array<const char*, 2>, 4> kTokens{{
    {"Input",
     "at the upper left chooses the tokens: a picture, vectors, words, a signal, a file, or "
     "learned queries that attend to the picture"},
    {"Drag", "a vector by its tip; its weights and all outputs follow"},
    {"Shift-drag", "changes the third coordinate of a 3-D vector"},
    {"Draw", "over a signal to change its clean curve"},
}};

// For the Positions screen.
constexpr std::array<std::array<const char*, 2>, 5> kOrder{{
    {"Drag", "a patch or word onto another under ORDER to swap them, or click both"},
    {"Shuffle", "all or a few; → ↓ shift them by one, Mirror mirrors them"},
    {"In order", "restores the original order; undo takes back one step"},
    {"Hover", "a row of an output to highlight its patch in both pictures"},
    {"Click", "the small map of the plot “apart” to choose the second position"},
}};

// What the user can do first, before the names of things.
constexpr std::array<std::array<const char*, 2>, 9> kFirst{{
    {"Drag a shape", "in a scene, and the prediction follows"},
    {"Step →", "through a layer: every matrix, and where each number comes from"},
    {"Point at", "a patch, a cell or a head to highlight it wherever it appears"},
    {"Change", "temperature, mask, positions or a head, on the right, and watch what changes"},
    {"Save", "a result as the baseline (P), compare the next one with it, and swap the two (V)"},
    {"Open", "a picture, a model or tokens of your own, or a scene of shapes (Ctrl+O)"},
    {"Examples", "of attention as textbooks describe it: press E and click one"},
    {"Read a lesson", "beside the program, which stays live (Ctrl+5)"},
    {"Lecture view",
     "with large type (F11); the presenter's notes and clock on another screen (Ctrl+N)"},
}};

// Keys with another meaning on Positions.
constexpr std::array<std::array<std::string_view, 2>, 8> kOnPositions{{
    {"←", "The patch to the left"},
    {"→", "The patch to the right"},
    {"↑", "The patch above"},
    {"↓", "The patch below"},
    {"Home", "First channel; for a bias, first head"},
    {"End", "Last channel or head"},
    {"PageUp", "Previous channel or head"},
    {"PageDown", "Next channel or head"},
}};

std::string_view words_of_key(const KeyBinding& key, ScreenId screen) {
    if (screen == ScreenId::positions)
        for (const auto& [keys, what] : kOnPositions)
            if (keys == key.keys) return what;
    return key.what;
}

using Entries = std::vector<std::pair<std::string_view, std::string_view>>;

// A caption and its lines, taken off the top.
void list_entries(Frame& frame, ui::Layout& rect, std::string_view title, const Entries& entries) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle name{.face = ui::Face::mono, .color = frame.colors().accent};
    float widest = 0;
    for (const auto& entry : entries) widest = std::max(widest, canvas.measure(entry.first, name));
    canvas.caption(rect.row(0, 6), title);
    for (const auto& [what, does] : entries) {
        ui::Layout words = rect;
        words.left(widest + frame.px(20));
        canvas.wrapped({rect.x, rect.y, widest + 1, frame.line()}, what, name);
        rect.top(canvas.wrapped(words, does, {}) + frame.px(5));
    }
}

// Text of the About panel, read on first use.
struct Licenses {
    std::vector<std::string> lines;
};

// A line of Markdown as plain text.
std::string plain_line(std::string line) {
    if (line.starts_with("- ")) line.erase(0, 2);
    if (line.starts_with('<') && line.ends_with('>')) line = line.substr(1, line.size() - 2);
    return line;
}

std::vector<std::string> read_licenses() {
    const std::filesystem::path path = assets::directory() / "licenses.md";
    std::vector<std::string> lines;
    try {
        std::istringstream text(read_text(path.string()));
        for (std::string line; std::getline(text, line);) lines.push_back(plain_line(line));
    } catch (const std::runtime_error&) {
        lines.clear();
    }
    if (lines.empty())
        lines.push_back(path.string() +
                        ": expected the licenses of Headlight's libraries, found no readable file. "
                        "Install Headlight again.");
    return lines;
}

}  // namespace

std::filesystem::path manual_folder() { return assets::directory() / "manual"; }

float keys_page(Frame& frame, ui::Layout rest) {
    Entries first, of_screen, keys, mouse, shapes, tokens, order;
    for (const auto& [what, does] : kFirst) first.push_back({what, does});
    const ScreenId screen = frame.state.look.screen;
    for (const KeyBinding& key : keys_of(screen)) of_screen.push_back({key.keys, key.what});
    for (const KeyBinding& key : all_keys())
        if (!is_taken(screen, key)) keys.push_back({key.keys, words_of_key(key, screen)});
    for (const auto& [what, does] : kMouse) mouse.push_back({what, does});
    for (const auto& [what, does] : kShapes) shapes.push_back({what, does});
    for (const auto& [what, does] : kTokens) tokens.push_back({what, does});
    for (const auto& [what, does] : kOrder) order.push_back({what, does});
    list_entries(frame, rest, "GETTING STARTED", first);
    rest.skip_top(14);
    const float gap = frame.px(32);
    const bool beside = rest.w > frame.px(760) * frame.ui.text_scale();
    ui::Layout left(frame.ui, beside ? rest.left((rest.w - gap) * 0.46F) : rest);
    if (!of_screen.empty()) {
        list_entries(frame, left, "KEYS ON HEADS", of_screen);
        left.skip_top(12);
    }
    list_entries(frame, left, of_screen.empty() ? "KEYS" : "KEYS EVERYWHERE", keys);
    ui::Layout right(frame.ui, beside ? rest : left);
    right.left(beside ? gap : 0);
    if (!beside) right.skip_top(12);
    list_entries(frame, right, "MOUSE", mouse);
    right.skip_top(12);
    list_entries(frame, right, "SCENES OF SHAPES", shapes);
    right.skip_top(12);
    list_entries(frame, right, "VECTORS, WORDS, SIGNALS", tokens);
    right.skip_top(12);
    list_entries(frame, right, "POSITIONS: THE ORDER", order);
    return std::max(left.y, right.y);
}

void about_panel(Frame& frame, const ui::Rect& window) {
    const ui::Rect inside =
        begin_overlay(frame, window, "about", "About Headlight " HEADLIGHT_VERSION);
    const ui::Layout content = begin_scroll(frame, inside, "about");
    ui::Canvas canvas(frame.ui);
    ui::Layout rest = content;
    const auto paragraph = [&](std::string_view text, ui::Face face, ImU32 color) {
        const float used = canvas.wrapped(rest, text, {.face = face, .color = color});
        rest.top(used + frame.px(2));
    };
    paragraph(
        "Headlight walks through a vision transformer step by step. It computes and checks every "
        "number.",
        ui::Face::words, frame.colors().text);
    rest.skip_top(8);
    auto& licenses = frame.memory.own<Licenses>().lines;
    if (licenses.empty()) licenses = read_licenses();
    for (const std::string& line : licenses) {
        if (line.empty() || line.starts_with("# "))
            rest.skip_top(6);
        else if (line.starts_with("## "))
            paragraph(line.substr(3), ui::Face::bold, frame.colors().text);
        else
            paragraph(line, ui::Face::words, frame.colors().dim);
    }
    end_scroll(content, rest.y);
    end_overlay();
}

}  // namespace headlight::screens

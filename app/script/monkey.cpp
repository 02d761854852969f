#include "script/monkey.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "assets/assets.h"
#include "scene/scene.h"
#include "state/fields.h"
#include "state/keys.h"
#include "tokens/token_source.h"
#include "trace/steps.h"

namespace headlight::app {

std::string Monkey::next(const Application& app) {
    switch (below(20)) {
        case 0:
            return window();
        case 1:
        case 2:
        case 3:
            return setting();
        case 4:
        case 5:
            return below(2) == 0 ? scene() : tokens();
        case 6:
        case 7:
        case 8:
        case 9:
            return walk();
        case 10:
        case 11:
            return key();
        default:
            return hand(app);
    }
}

// The distributions of standard libraries differ, so the remainder is used.
std::size_t Monkey::below(std::size_t end) { return end == 0 ? 0 : chance_() % end; }

double Monkey::between(double low, double high) {
    return low + (high - low) * static_cast<double>(below(1001)) / 1000;
}

// Usually a valid number.
std::string Monkey::number(int high) {
    static constexpr std::array strange{"0", "-1", "99999", "2147483648", "nan", "", "1e9"};
    return below(20) == 0 ? fmt::format("\"{}\"", one_of(strange))
                          : std::to_string(1 + below(static_cast<std::size_t>(high)));
}

std::string Monkey::place(const Application& app) {
    const auto& names = app.ui().names();
    if (names.empty()) return "stage.result";
    const auto& [name, named] = one_of(names);
    const auto& [row, col, rows, cols] = named.cells;
    if (rows < 1 || cols < 1) return name;
    const auto within = [this](float first, float count) {
        return static_cast<int>(first) + static_cast<int>(below(static_cast<std::size_t>(count)));
    };
    const int at_row = within(row, rows);
    return fmt::format("{}[{},{}]", name, at_row, within(col, cols));
}

std::string Monkey::hand(const Application& app) {
    const std::string at = "\"" + place(app) + "\"";
    switch (below(8)) {
        case 0:
            return "pointer " + at;
        case 1:
            return "double-click " + at;
        case 2:
            return fmt::format("drag {} by {} {}", at, std::round(between(-400, 400)),
                               std::round(between(-300, 300)));
        case 3:
            return fmt::format("scroll {} {}", at, std::round(between(-9, 9)));
        case 4:
            return fmt::format("pointer {} {}", below(2000), below(1200));
        default:
            return "click " + at;
    }
}

std::string Monkey::key() {
    static constexpr std::array more{"Enter", "Tab", "Backspace", "Ctrl+A", "Delete", "Shift+Tab"};
    static constexpr std::array words{"0.3", "-7", "softmax", "ä→中", "/", "999999999"};
    switch (below(6)) {
        case 0:
            return fmt::format("key {}", one_of(more));
        case 1:
            return fmt::format("type {}", one_of(words));
        default: {
            const std::string_view keys = one_of(all_keys()).keys;
            return fmt::format("key {}", keys.substr(0, keys.find_first_of(" \xE2", 1)));
        }
    }
}

std::string Monkey::setting() {
    const Field& field = one_of(all_fields());
    if (below(6) == 0) return fmt::format("reset {}", field.name);
    if (field.of_model && below(4) == 0) return fmt::format("set {} model", field.name);
    if (!field.choices.empty()) return fmt::format("set {} {}", field.name, one_of(field.choices));
    if (field.kind == FieldKind::toggle)
        return fmt::format("set {} {}", field.name, below(2) == 0 ? "true" : "false");
    const double value = between(field.slide_low, field.slide_high);
    const bool whole = field.kind == FieldKind::integer;
    return fmt::format("set {} {}", field.name, whole ? std::round(value) : value);
}

std::string Monkey::walk() {
    static constexpr std::array plain{
        "step next",      "step previous", "stop next",     "stop previous",   "layer next",
        "layer previous", "head next",     "head previous", "release",         "undo",
        "undo",           "redo",          "pin",           "unpin",           "play",
        "pause",          "defaults",      "compare after", "compare before",  "compare difference",
        "cancel",         "wait 200",      "dismiss",       "switch-heads-on", "show files",
        "show model",     "show help",     "show about",    "show nothing",    "swap"};
    switch (below(10)) {
        case 0:
        case 1:
            return fmt::format("step {}", one_of(all_steps()).name);
        case 2:
            return "head " + number(16);
        case 3:
            return fmt::format("cell {} {}", below(300), below(300));
        case 4:
            return fmt::format("focus {}", below(300));
        case 5:
            return fmt::format("scrub {}", between(0, 26));
        case 6:
            return fmt::format("switch-head {} {}", number(4), number(4));
        default:
            return one_of(plain);
    }
}

std::string Monkey::scene() {
    switch (below(10)) {
        case 0:
            return fmt::format("scene {}", below(1000));
        case 1:
            return fmt::format("shape-move {} {} {}", number(6), between(0, 80), between(0, 80));
        case 2:
            return fmt::format("shape-resize {} {}", number(6), between(2, 41));
        case 3:
            return fmt::format("shape-kind {} {}", number(6), one_of(names_of<ShapeKind>()));
        case 4:
            return fmt::format("shape-add {} {} {}", one_of(names_of<ShapeKind>()), between(0, 80),
                               between(0, 80));
        case 5:
            return "shape-delete " + number(6);
        case 6:
            return "twin " + number(6);
        case 7:
            return "untwin " + number(6);
        case 8:
            return "shape " + number(6);
        default:
            return fmt::format("shape-turn {} {}", number(6), between(-360, 360));
    }
}

std::string Monkey::tokens() {
    const auto at = [this] { return std::round(between(-3, 3) * 10) / 10; };
    switch (below(9)) {
        case 0:
            return fmt::format("vectors {}", one_of(vector_presets()).name);
        case 1:
            return fmt::format("vectors {},{} {},{} a={},{}", at(), at(), at(), at(), at(), at());
        case 2:
        case 3:
            return fmt::format("set-vector {} {} {}", number(4), at(), at());
        case 4:
            return fmt::format("add-vector {} {}", at(), at());
        case 5:
            return "delete-vector " + number(4);
        case 6:
            return fmt::format("signal {}", one_of(names_of<Curve>()));
        case 7:
            return fmt::format("draw-signal {} {} {} {}", below(200), at(), below(200), at());
        default:
            return "picture";
    }
}

// Commands about the window's size and content.
std::string Monkey::window() {
    static constexpr std::array sizes{"320 240", "640 480",  "800 600",
                                      "960 560", "1280 720", "1366 768"};
    static constexpr std::array scales{"0.5", "1", "1", "1.25", "1.5", "2"};
    static constexpr std::array images{"cat.jpg", "shapes.png", "coffee.jpg", "none.png"};
    static constexpr std::array models{"scenes", "t2t-layer"};
    const std::filesystem::path assets = assets::directory();
    switch (below(6)) {
        case 0:
        case 1:
            return fmt::format("size {}", one_of(sizes));
        case 2:
            return fmt::format("scale {}", one_of(scales));
        case 3:
            return fmt::format("open \"{}\"", (assets / "images" / one_of(images)).string());
        case 4:
            return fmt::format("open-model \"{}\"", (assets / "models" / one_of(models)).string());
        default:
            return "close-model";
    }
}

}  // namespace headlight::app

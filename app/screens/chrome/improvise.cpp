#include "chrome/improvise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "frame/field_row.h"
#include "frame/field_words.h"
#include "program/ordinals.h"

namespace headlight::screens {

namespace {

constexpr float kLeastCell = 120;  // in units, times the text scale

// A control with its label above.
struct Cell {
    std::string label;
    std::function<void(Frame&, const ui::Rect&)> draw;
};

void temperature(Frame& frame, const ui::Rect& rect) {
    field_slider(frame, *find_field("temperature"), "improvise.temperature", rect,
                 frame.px(52) * frame.ui.text_scale());
}

struct MaskOffer {
    std::string_view rules, words;
};
constexpr std::array kMasks{MaskOffer{"none", "none"}, MaskOffer{"causal", "causal"},
                            MaskOffer{"local 2", "local, radius 2"},
                            MaskOffer{"no_self", "not itself"}};

void mask(Frame& frame, const ui::Rect& rect) {
    const std::string now = field_value(frame, *find_field("mask"));
    std::vector<std::string_view> options;
    std::vector<std::string> words;
    for (const auto& [rules, said] : kMasks) {
        options.push_back(rules);
        words.emplace_back(said);
    }
    auto at = std::ranges::find(options, now.empty() ? std::string_view("none") : now);
    if (at == options.end()) {
        options.push_back(now);
        words.push_back(words_of(*find_field("mask"), now));
        at = options.end() - 1;
    }
    const int chosen = ui::choice(frame.ui, "improvise.mask", rect, options,
                                  static_cast<int>(at - options.begin()), words);
    if (chosen >= 0) frame.set("mask", std::string(options[static_cast<std::size_t>(chosen)]));
}

void stepper(Frame& frame, ui::Layout rect, const std::string& name, const std::string& verb,
             const std::string& words) {
    const float each = rect.h;
    if (ui::button(frame.ui, name + ".less", rect.left(each), "", ui::ButtonLook::outlined, "",
                   ui::Icon::previous))
        frame.say(verb, "previous");
    if (ui::button(frame.ui, name + ".more", rect.right(each), "", ui::ButtonLook::outlined, "",
                   ui::Icon::next))
        frame.say(verb, "next");
    ui::Canvas(frame.ui).label(rect, words, {.size = ui::Size::small, .align = ui::Align::center});
}

Cell field_cell(std::string_view name) {
    const Field& field = *find_field(name);
    return {std::string(field.label),
            [&field](Frame& frame, const ui::Rect& rect) { field_choice(frame, field, rect); }};
}

void heads_of_layer(Frame& frame, const ui::Rect& rect) {
    const Field& field = *find_field("heads");
    const std::string now = field_value(frame, field);
    std::string text = now;
    if (ui::number_field(frame.ui, "improvise.heads", rect, text) && text != now)
        frame.set(field.name, text);
}

std::vector<Cell> cells_of(const Frame& frame) {
    const auto shown = [&](std::string_view name) {
        return is_shown(*find_field(name), frame.state, frame.trace);
    };
    std::vector<Cell> cells;
    if (shown("temperature")) cells.push_back({"Temperature", temperature});
    if (shown("mask")) cells.push_back({"Mask", mask});
    if (shown("positions")) cells.push_back(field_cell("positions"));
    if (shown("score")) cells.push_back(field_cell("score"));
    if (shown("heads")) cells.push_back({"Heads", heads_of_layer});
    const Index heads = frame.trace.shape.heads;
    if (heads > 1)
        cells.push_back({"Head", [heads](Frame& f, const ui::Rect& rect) {
                             stepper(f, {f.ui, rect}, "improvise.head", "head",
                                     fmt::format("{} of {}", f.state.selection.head + 1, heads));
                         }});
    if (frame.trace.model->layers.size() > 1)
        cells.push_back(
            {"Layer", [](Frame& f, const ui::Rect& rect) {
                 const Model& model = *f.trace.model;
                 stepper(f, {f.ui, rect}, "improvise.layer", "layer",
                         fmt::format("{} of {}", layer_number(model, f.trace.layer),
                                     std::ssize(model.layers) - model.token_transformers()));
             }});
    cells.push_back({"Picture", [](Frame& f, const ui::Rect& rect) {
                         if (ui::button(f.ui, "improvise.photo", rect, "Your own…",
                                        ui::ButtonLook::outlined,
                                        "Opens a picture of your own   Ctrl+O"))
                             f.say("show", "files");
                     }});
    cells.push_back({"", [](Frame& f, const ui::Rect& rect) {
                         const bool lesson = f.in_lesson();
                         if (!ui::button(f.ui, "improvise.reset", rect,
                                         lesson ? "Reset  R" : "Reset", ui::ButtonLook::filled,
                                         lesson ? "Brings this stop back to its beginning   R"
                                                : "Undoes all changes to the model"))
                             return;
                         lesson ? f.say("lesson-stop", "again") : f.say("reset", "changes");
                     }});
    return cells;
}

int columns_in(const Frame& frame, float width, std::size_t cells) {
    const float least = frame.px(kLeastCell) * frame.ui.text_scale();
    const int most = std::max(1, static_cast<int>((width - frame.px(40)) / least));
    const int all = static_cast<int>(cells);
    if (most >= all) return all;
    const int rows = (all + most - 1) / most;
    return (all + rows - 1) / rows;  // evenly distributed
}

float row_height(const Frame& frame) { return frame.line() * 2 + frame.px(18); }

}  // namespace

float improvise_height(Frame& frame, float width) {
    const std::size_t cells = cells_of(frame).size();
    const int columns = columns_in(frame, width, cells);
    const int rows = (static_cast<int>(cells) + columns - 1) / columns;
    return row_height(frame) * static_cast<float>(rows) + frame.px(10);
}

void improvise(Frame& frame, ui::Rect rect) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, frame.colors().border);
    frame.ui.name("improvise", {rect, {}});
    const std::vector<Cell> cells = cells_of(frame);
    const int columns = columns_in(frame, rect.w, cells.size());
    rect = rect.inset(frame.px(20), frame.px(6));
    const float each = rect.w / static_cast<float>(columns);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
        ui::Layout cell(frame.ui, {rect.x + each * static_cast<float>(column),
                                   rect.y + row_height(frame) * static_cast<float>(row),
                                   each - frame.px(16), row_height(frame) - frame.px(6)});
        canvas.label(cell.row(), cells[i].label, frame.small_dim());
        cells[i].draw(frame, {cell.x, cell.y, cell.w, frame.line() + frame.px(8)});
    }
    frame.ui.report("improvise", std::to_string(cells.size()));
}

}  // namespace headlight::screens

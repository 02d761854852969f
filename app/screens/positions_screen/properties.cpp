#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "frame/capitals.h"
#include "frame/field_row.h"
#include "positions/positions.h"
#include "positions_screen/view.h"
#include "program/values.h"
#include "ui/color_bar.h"

// What the table comes to: all likenesses, how they fall with the offset, and which kind it is.
namespace headlight::screens {

std::string name_of_kind(const Frame& frame, const PositionsView& view,
                         const PositionChoice& choice) {
    const bool own = choice.kind == PositionKind::model;
    if (own && view.bias != nullptr) return "THE MODEL'S BIAS";
    if (own && view.table->turns) return "THE MODEL'S ROTATION";
    if (own && frame.trace.model->positions.table != nullptr) return "THE MODEL'S";
    return capitals(std::string(
        info(choice.kind == PositionKind::model ? PositionKind::sinusoidal : choice.kind).label));
}

namespace {

// Cosine, product or distance.
void choice_of_measure(Frame& frame, const ui::Rect& rect) {
    const auto now = static_cast<int>(frame.state.look.pair_measure);
    const bool roomy = rect.w >= frame.px(210);
    const int chosen =
        ui::segmented(frame.ui, "positions.pairs", rect,
                      roomy ? std::vector<std::string_view>{"cosine", "product", "distance"}
                            : std::vector<std::string_view>{"cos", "prod", "dist"},
                      now);
    if (chosen >= 0 && chosen != now)
        set_once(frame, "pair_measure",
                 std::string(kNames<PairMeasure>[static_cast<std::size_t>(chosen)]));
}

}  // namespace

float pairs_height(Frame& frame, float side) { return side + frame.line() * 3.4F + frame.px(14); }

void pairs_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory) {
    caption_that_fits(
        frame, rect.cut_top(frame.line()),
        {fmt::format("ALL PAIRS: {}", capitals(std::string(name_of_measure(frame)))), "ALL PAIRS"});
    rect.cut_top(frame.px(4));
    choice_of_measure(frame, rect.cut_top(frame.line() * 1.4F));
    rect.cut_top(frame.px(6));
    const ui::Rect bar = rect.cut_bottom(frame.line());
    rect.cut_bottom(frame.px(4));
    Shown shown;
    shown.set_cells(view.table->pairs);
    ui::HeatmapSpec spec;
    spec.name = "positions.cosines";
    spec.cells = shown.cells;
    spec.scale = likeness_scale(frame, view, *view.table);
    spec.window = frame.ui.window(spec.name, spec.cells.rows, spec.cells.cols);
    spec.row = view.patch;
    spec.outline_cell = false;
    const ui::Rect place = rect.fit(1);
    const auto hit = ui::heatmap(frame.ui, place, spec);
    ui::zoom_and_pan(frame.ui, place, frame.ui.window(spec.name, spec.cells.rows, spec.cells.cols),
                     spec.cells.rows, spec.cells.cols);
    ui::color_line(frame.ui, bar, spec.scale);
    if (!hit.hovered) return;
    focus_on_patch(frame, hit.row);
    memory.next_hovered_offset = view.between(hit.row, hit.col);
    frame.ui.tooltip(fmt::format("Patches {} and {}: {} {}", hit.row, hit.col,
                                 name_of_measure(frame),
                                 ui::number(shown.view(hit.row, hit.col), 3)));
    if (hit.clicked) pin_patch(frame, hit.row);
}

namespace {

// As wide as the choice of a plot has to be, in positions.cpp too.
constexpr float kPlotChoice = 218;

// What the curves lie between: a cosine's ends, or the least and the greatest number, and zero.
struct Ends {
    double low = -1, high = 1;
};
Ends ends_of(const Frame& frame, const OffsetProfile& profile) {
    Ends ends;
    if (frame.state.look.pair_measure == PairMeasure::cosine) return ends;
    ends = {0, 0};
    for (const auto* values : {&profile.along_row, &profile.down_column})
        for (const double value : *values) {
            if (!std::isfinite(value)) continue;
            ends.low = std::min(ends.low, value);
            ends.high = std::max(ends.high, value);
        }
    if (ends.high <= ends.low) ends.high = ends.low + 1;
    return ends;
}

}  // namespace

void profile_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory) {
    if (view.table->turns) {
        rotation_part(frame, rect.cut_right(rect.w / 2), view);
        rect.cut_right(frame.px(16));
    }
    ui::Canvas canvas(frame.ui);
    const std::string by = capitals(std::string(name_of_measure(frame)));
    ui::Rect caption = rect.cut_top(frame.line());
    // The choice of the plot beside it may begin in this line (kPlotChoice).
    const float more = frame.px(kPlotChoice) - rect.w;
    if (!view.table->turns && more > 0) caption.w -= std::max(0.0F, more - frame.px(12));
    caption_that_fits(frame, caption, {by + " BY OFFSET", by});
    rect.cut_top(frame.px(4));
    const ui::TextStyle small{
        .face = ui::Face::mono, .size = ui::Size::small, .color = frame.colors().dim};
    ui::Rect words = rect.cut_bottom(frame.line());
    const OffsetProfile& profile = view.table->profile;
    const Ends ends = ends_of(frame, profile);
    const bool of_cosines = frame.state.look.pair_measure == PairMeasure::cosine;
    const std::string high = of_cosines ? "1" : ui::number(ends.high, 2),
                      low = of_cosines ? "−1" : ui::number(ends.low, 2),
                      middle = of_cosines ? "0" : ui::number((ends.low + ends.high) / 2, 2);
    const Plot plot = plot_in(frame, rect, {high, middle, low}, ends.low, ends.high);
    frame.ui.name("positions.profile", {plot.rect, {}});
    const std::size_t most =
        std::max<std::size_t>(2, std::max(profile.along_row.size(), profile.down_column.size())) -
        1;
    const ImU32 along = frame.colors().accent, down = frame.colors().hue(ui::Hue::key);
    curve(frame, plot, profile.along_row, most, along);
    if (profile.along_row.size() > 1)
        frame.ui.report("positions.offset.1", fmt::format("{:.6f}", profile.along_row[1]));
    curve(frame, plot, profile.down_column, most, down);
    ui::TextStyle legend{.size = ui::Size::small, .color = along};
    const float under = words.x + words.w - plot.rect.x;  // as wide as the plot
    const auto fits = [&](std::string_view text, float width) {
        return canvas.measure(text, legend) + frame.px(16) < width;
    };
    const bool roomy = fits("along a row, down a column", under);
    const std::string_view row = roomy ? "along a row" : "row",
                           column = roomy ? "down a column" : "column";
    if (fits("row, column", under)) words.cut_left(plot.rect.x - words.x);
    canvas.label(words.cut_left(canvas.measure(row, legend) + frame.px(roomy ? 16 : 10)), row,
                 legend);
    legend.color = down;
    if (profile.down_column.size() > 1)  // of a row of words there is nothing below
        canvas.label(words.cut_left(canvas.measure(column, legend) + frame.px(8)), column, legend);
    ui::TextStyle end = small;
    end.align = ui::Align::right;
    const int longest = std::max(view.rows, view.cols);
    const std::string token = frame.trace.image ? "patch" : "token",
                      tokens = frame.trace.image ? "patches" : "tokens",
                      apart = longest == 1   ? "one " + token + " alone"
                              : longest == 2 ? "one " + token + " apart"
                                             : fmt::format("{} {} apart", most, tokens);
    if (canvas.measure(apart, end) <= words.w) canvas.label(words, apart, end);
    if (!plot.rect.contains(ImGui::GetIO().MousePos)) return;
    const float part = (ImGui::GetIO().MousePos.x - plot.rect.x) / std::max(1.0F, plot.rect.w);
    const auto k = static_cast<std::size_t>(
        std::clamp(std::round(part * static_cast<float>(most)), 0.0F, static_cast<float>(most)));
    std::string words_there = fmt::format("{} apart", k);
    if (k < profile.along_row.size())
        words_there += fmt::format("\nalong a row {:.3f}", profile.along_row[k]);
    if (k < profile.down_column.size())
        words_there += fmt::format("\ndown a column {:.3f}", profile.down_column[k]);
    memory.next_hovered_offset = Offset{static_cast<int>(k), 0};
    frame.ui.tooltip(words_there);
}

namespace {

// Of tables that are made of waves: what they are made with, and which of them are looked at. Of a
// relative bias that was made here: of what.
std::vector<const Field*> fields_of_kind(const Frame& frame, const PositionsView& view) {
    const PositionChoice& choice = view.choice();
    std::vector<std::string_view> names;
    if (choice.kind == PositionKind::relative)
        names = {"position_bias", "position_strength", "position_seed"};
    else if (choice.kind == PositionKind::learned)
        names = {"position_seed"};
    else if (is_of_waves(choice, *frame.trace.model))
        names = {"position_base", "fast_waves_off", "slow_waves_off"};
    else if (choice.kind == PositionKind::rotary && !frame.trace.model->rotary)
        names = {"position_base"};
    std::vector<const Field*> fields;
    for (const std::string_view name : names) {
        if (name == "position_base" && info(choice.kind).base <= 0) continue;
        if (name == "position_seed" && choice.kind == PositionKind::relative &&
            choice.bias.start != BiasStart::drawn)
            continue;
        fields.push_back(find_field(name));
    }
    return fields;
}

// What a kind does, in a sentence.
std::string words_of(const PositionInfo& kind) {
    switch (kind.id) {
        case PositionKind::none:
            return "Nothing tells a token where its patch stood.";
        case PositionKind::sinusoidal:
            return "Sines and cosines along the patches in reading order are added to the tokens, "
                   "as in “Attention Is All You Need”.";
        case PositionKind::sincos_2d:
            return "Half of the waves run across the picture and half run down, as in MAE; they "
                   "are added to the tokens.";
        case PositionKind::learned:
            return "A table as it is before any training, drawn from a seed, is added.";
        case PositionKind::rotary:
            return "Queries and keys are turned by angles of their row and their column, as in "
                   "DINOv3; nothing is added.";
        case PositionKind::relative:
            return "Every score gets a number for the offset from query to key, as in BEiT; "
                   "nothing is added to the tokens.";
        case PositionKind::model:
            return "What the model was made with; of a layer by itself, sinusoidal.";
    }
    return std::string(kind.meaning);
}

// Where two columns are narrow.
std::string_view short_label(const PositionInfo& kind) {
    switch (kind.id) {
        case PositionKind::sincos_2d:
            return "2-D sines";
        case PositionKind::learned:
            return "learned";
        case PositionKind::rotary:
            return "rotary";
        case PositionKind::relative:
            return "bias";
        case PositionKind::model:
            return "model's";
        case PositionKind::none:
        case PositionKind::sinusoidal:
            break;
    }
    return kind.label;
}

void kind_button(Frame& frame, const ui::Rect& place, const PositionInfo& kind) {
    const std::string name(name_of(kind.id));
    const bool shown = kind.id == wanted(frame).kind,
               refused = !shown && !frame.before() && kind.id == frame.state.recipe.position.kind;
    const std::string tip =
        refused ? "These tokens cannot have it; what is shown is the kind before." : words_of(kind);
    const bool roomy = ui::button_width(frame.ui, kind.label) <= place.w;
    if (ui::button(frame.ui, "positions.kind." + name, place,
                   roomy ? kind.label : short_label(kind),
                   shown     ? ui::ButtonLook::chip
                   : refused ? ui::ButtonLook::marked
                             : ui::ButtonLook::plain,
                   tip))
        set_once(frame, "positions", name);
}

float close_kind(const Frame& frame) { return frame.line() * 1.15F; }

// One below the other; where that leaves no room for `below` in two columns, or closer.
void kind_buttons(Frame& frame, ui::Rect& rect, float below) {
    const auto count = static_cast<int>(all_positions().size());
    const float gap = frame.px(2), usual = frame.line() * 1.5F, close = close_kind(frame);
    const bool tall = static_cast<float>(count) * (close + gap) + below > rect.h;
    const int across = tall && rect.w >= frame.px(160) ? 2 : 1;
    const int rows = (count + across - 1) / across;
    const float each = std::clamp((rect.h - below) / static_cast<float>(rows) - gap, close, usual);
    const float wide = rect.w / static_cast<float>(across);
    for (int i = 0; i < count; ++i)
        kind_button(frame,
                    {rect.x + wide * static_cast<float>(i / rows),
                     rect.y + static_cast<float>(i % rows) * (each + gap), wide, each},
                    all_positions()[static_cast<std::size_t>(i)]);
    rect.cut_top(static_cast<float>(rows) * (each + gap));
}

// Back to the step of the walk that they come in.
void step_button(Frame& frame, ui::Rect head, const PositionsView& view) {
    // What is shown, first; nothing is added in a step of positions that come otherwise.
    const Step shown = view.bias != nullptr ? Step::relative_bias
                       : view.table->turns  ? Step::rotary
                                            : Step::position;
    const auto steps = std::to_array({shown, Step::position, Step::relative_bias, Step::rotary});
    const auto found =
        std::ranges::find_if(steps, [&](Step step) { return frame.trace.has(step); });
    const float wide = ui::button_width(frame.ui, "In Walk");
    if (found == steps.end() || frame.state.look.lecture || head.w < 2 * wide) return;
    if (!ui::button(frame.ui, "positions.walk", head.cut_right(wide), "In Walk",
                    ui::ButtonLook::plain, "The step of the layer that they come in"))
        return;
    frame.set("screen", "walk");
    frame.say("step", std::string(info(*found).name));
}

// What has to be known of the present kind, the most important first.
struct Note {
    std::string words, brief;  // brief: where there is little room; may be empty
    std::string report;
    int layer = -1;  // to which there is a way from here
    bool good = false;
};

// Models that join their tokens on the way add positions when that is done.
std::optional<Note> added_later(const Frame& frame, const PositionsView& view) {
    if (frame.trace.model == nullptr) return {};
    const Model& model = *frame.trace.model;
    const int first = model.token_transformers();
    const PositionKind kind = wanted(frame).kind;
    const bool adds = kind != PositionKind::none && kind != PositionKind::relative;
    if (!adds || frame.trace.layer >= first || view.said->answer.present) return {};
    const std::string& name = model.layers[static_cast<std::size_t>(first)].name;
    return Note{fmt::format("These tokens are joined first: positions come in before {}. What is "
                            "shown is the table that would be here, {}.",
                            name, info(view.table->choice.kind).label),
                fmt::format("Positions come in before {}.", name), "positions.later", first};
}

std::vector<Note> notes_of(const Frame& frame, const PositionsView& view) {
    std::vector<Note> notes;
    const PositionStudy& study = view.said->answer;
    if (const auto later = added_later(frame, view)) {
        notes.push_back(*later);
    } else if (view.table != nullptr && !study.present) {
        const std::string label(info(view.table->choice.kind).label);
        notes.push_back(
            {"Nothing is added now; what is shown is the table that would be, " + label + ".",
             "Nothing is added; " + label + " would be this.", "positions.none"});
    }
    const bool made_here = wanted(frame).kind != PositionKind::model;
    if (made_here && frame.trace.model != nullptr && !frame.trace.model->is_bare_layer())
        notes.push_back(
            {"The model was not trained so.", "Not trained so.", "positions.untrained"});
    if (study.equals) {
        const std::string order = study.rows_first ? ", rows first, as in MoCo-v3" : "";
        const std::string whose = *study.equals == PositionKind::model
                                      ? "the model's table"
                                      : "the " + std::string(info(*study.equals).label) + " table";
        notes.push_back({fmt::format("Equals {}{}; largest difference {}.", whose, order,
                                     small_number(study.difference)),
                         "Equals " + whose + ".", "positions.equals", -1, true});
    }
    return notes;
}

// The whole of a note, or its brief, or nothing: as there is room.
void draw_note(Frame& frame, ui::Rect& rect, const Note& note) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.size = ui::Size::small,
                              .color = note.good ? frame.colors().ok : frame.colors().dim};
    frame.ui.report(note.report, "yes");
    const auto tall = [&](const std::string& words) {
        return canvas.measure_wrapped(words, style, rect.w).y;
    };
    const std::string& words = tall(note.words) <= rect.h ? note.words : note.brief;
    if (words.empty() || tall(words) > rect.h) return;
    canvas.wrapped(rect.cut_top(tall(words)), words, style);
    rect.cut_top(std::min(frame.px(4), rect.h));
}

// On to the layer that a note speaks of, where there is no way to a step of this one.
void layer_button(Frame& frame, ui::Rect head, const std::vector<Note>& notes) {
    const auto note = std::ranges::find_if(notes, [](const Note& one) { return one.layer >= 0; });
    if (note == notes.end() || frame.state.look.lecture) return;
    const std::string label = fmt::format("Layer {}", note->layer + 1);
    const ui::Rect place = head.cut_right(ui::button_width(frame.ui, label));
    if (ui::button(frame.ui, "positions.layer", place, label, ui::ButtonLook::plain, note->brief))
        frame.say("layer", std::to_string(note->layer + 1));
}

float height_of_notes(Frame& frame, const std::vector<Note>& notes, float width) {
    float all = 0;
    for (const Note& note : notes)
        all +=
            ui::Canvas(frame.ui).measure_wrapped(note.brief, {.size = ui::Size::small}, width).y +
            frame.px(4);
    return all;
}

bool is_slider(const Field& field) { return field.slide_low < field.slide_high; }

float slim_height(const Frame& frame) { return frame.line() + frame.px(4); }

// A slider, its name and its value in one line.
void slim_row(Frame& frame, const Field& field, ui::Rect row) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small{.size = ui::Size::small, .color = frame.colors().dim};
    const std::string_view label = field.name == "position_base"    ? "base"
                                   : field.name == "fast_waves_off" ? "fast off"
                                   : field.name == "slow_waves_off" ? "slow off"
                                                                    : field.label;
    canvas.label(row.cut_left(canvas.measure("slow off", small) + frame.px(10)), label, small);
    const std::string text = field.get(frame.state);
    const ui::TextStyle value{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const std::string shown = field.name == "position_base" ? text : text + " %";
    canvas.label(row.cut_right(canvas.measure("10000", value) + frame.px(6)), shown, value);
    double now = field.low;
    std::from_chars(text.data(), text.data() + text.size(), now);
    const auto slid = ui::slider(frame.ui, "field." + std::string(field.name), row, now,
                                 field.slide_low, field.slide_high, field.logarithmic);
    const std::string next = number_text(static_cast<float>(std::stod(fmt::format("{:.3g}", now))));
    if (slid.changed && next != text) frame.set(field.name, next);
    if (slid.released) frame.memory.gesture_ended = true;
}

float height_of(Frame& frame, const Field& field, bool slim) {
    return slim && is_slider(field) ? slim_height(frame) : field_height(frame, field);
}

}  // namespace

void kind_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    ui::Rect head = rect.cut_top(frame.line());
    canvas.caption(head, "KIND");
    step_button(frame, head, view);
    rect.cut_top(frame.px(6));
    frame.ui.report("positions.kind", std::string(name_of(wanted(frame).kind)));
    const std::vector<const Field*> fields = fields_of_kind(frame, view);
    const std::vector<Note> notes = notes_of(frame, view);
    layer_button(frame, head, notes);
    const float of_notes = height_of_notes(frame, notes, rect.w) + frame.px(6);
    const auto of_fields = [&](bool slim) {
        float all = 0;
        for (const Field* field : fields) all += height_of(frame, *field, slim);
        return all;
    };
    // Kinds in two columns; and where fields have no room for all that, sliders in one line each.
    const float of_kinds =
        static_cast<float>((all_positions().size() + 1) / 2) * (close_kind(frame) + frame.px(2));
    const bool slim = of_kinds + of_fields(false) + of_notes > rect.h;
    kind_buttons(frame, rect, of_fields(slim) + of_notes);
    rect.cut_top(frame.px(4));
    for (const Field* field : fields) {
        const float height = height_of(frame, *field, slim);
        if (height > rect.h) break;
        ui::Rect row = rect.cut_top(height);
        slim&& is_slider(*field) ? slim_row(frame, *field, row) : field_row(frame, *field, row);
    }
    rect.cut_top(std::min(frame.px(4), std::max(0.0F, rect.h)));
    for (const Note& note : notes) draw_note(frame, rect, note);
}

}  // namespace headlight::screens

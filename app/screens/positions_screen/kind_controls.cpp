#include "positions_screen/kind_controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/field_row.h"
#include "frame/field_words.h"
#include "kernels/read_number.h"

namespace headlight::screens {

namespace {

constexpr int kFewest = 2, kMost = 32;       // range of the slider for patches down
constexpr int kSmallest = 2, kLargest = 32;  // range of the slider for patch size, in pixels

bool is_slider(const Field& field) { return field.slide_low < field.slide_high; }

double number_of(const std::string& text, double otherwise) {
    double number = otherwise;
    read_number(text.data(), text.data() + text.size(), number);
    return number;
}

// Rows and columns at the start of a drag, so that their ratio survives rounding.
struct HeldGrid {
    int rows = 0, cols = 0;
};

}  // namespace

FieldsOfKind fields_of(const PositionChoice& choice, const Model& model) {
    const PositionInfo& kind = info(choice.kind);
    const bool own_turns = kind.effect == PositionEffect::turned && model.rotary;
    FieldsOfKind fields;
    if (kind.takes.bias) fields.before = {"position_bias", "position_strength"};
    if (kind.takes.base > 0 && !own_turns) fields.before.push_back("position_base");
    if (draws(choice)) fields.before.push_back("position_seed");
    if (kind.takes.first) fields.after.push_back("position_first");
    if (is_of_waves(choice, model))
        fields.after.insert(fields.after.end(), {"fast_waves_off", "slow_waves_off"});
    return fields;
}

KindControls::KindControls(Frame& frame, const PositionsView& view) : frame_(frame) {
    const FieldsOfKind fields = fields_of(view.choice(), *frame.trace.model);
    for (const std::string_view name : fields.before) add(name);
    if (view.table != nullptr) add_width(view);
    add_length(view);
    for (const std::string_view name : fields.after) add(name);
}

void KindControls::slide_by(Slider& slider, const Field& field) const {
    const std::string text = field.get(frame_.state);
    slider.value = number_of(text, field.low);
    slider.low = field.slide_low;
    slider.high = field.slide_high;
    slider.logarithmic = field.logarithmic;
    slider.slide = [this, &field, text](double value) {
        const std::string next = slider_text(field, frame_.state, value);
        if (next != text) frame_.set(field.name, next);
    };
}

void KindControls::add(std::string_view name) {
    const Field& field = *find_field(name);
    Row row{&field, {}};
    if (is_slider(field)) {
        Slider slider{.name = "field." + std::string(name),
                      .label = field.label,
                      .brief = field.brief_label()};
        slider.number = field.get(frame_.state);
        if (field.name.ends_with("_off")) slider.number += " %";
        slider.help = field.help;
        slide_by(slider, field);
        row.slider = std::move(slider);
    }
    rows_.push_back(std::move(row));
}

// An added table has the width of a token, which for a randomly initialized layer is that of a
// patch. Rotations have the width of a head.
void KindControls::add_width(const PositionsView& view) {
    const Trace& trace = frame_.trace;
    if (!trace.image || !trace.model->is_bare_layer() || !frame_.recipe.weights.empty()) return;
    Slider slider{.name = "positions.width", .label = "Width", .brief = "width"};
    slider.number = std::to_string(view.dim());
    if (view.table->turns) {
        const Field& field = *find_field("channels");
        if (!is_shown(field, frame_.state, trace)) return;
        slider.words =
            fmt::format("{} / {} = {}", trace.config.channels, trace.config.heads, view.dim());
        slider.help =
            "The width of a row of the table, which is the width of a head: the channels divided "
            "by the heads.";
        slide_by(slider, field);
    } else {
        const int size = trace.grid.settings.size, channels = trace.image->channels;
        slider.words = fmt::format("{} · {}² = {}", channels, size, view.dim());
        slider.help =
            "The width of a row of the table, which is the width of a token: the pixels of a patch "
            "times their channels. The number of patches stays the same.";
        slider.value = size;
        slider.low = kSmallest;
        slider.high = kLargest;
        // 2-D waves need a multiple of four channels.
        const int step = info(view.choice().kind).takes.first ? 2 : 1;
        slider.slide = [this, &view, size, step](double value) {
            const int next = std::max(1, static_cast<int>(std::round(value / step))) * step;
            if (next != size)
                frame_.say("patch-grid", std::to_string(view.rows), std::to_string(view.cols),
                           std::to_string(next));
        };
    }
    rows_.push_back({nullptr, std::move(slider)});
}

// The number of rows is the number of patches. It is fixed if layers have windows, which the
// picture must fill, and for T2T's tokens before they are merged.
void KindControls::add_length(const PositionsView& view) {
    const Trace& trace = frame_.trace;
    if (!trace.image || picture_unit(*trace.model) > 1 ||
        trace.layer < trace.model->token_transformers())
        return;
    const int rows = view.rows, cols = view.cols;
    Slider slider{.name = "positions.length", .label = "Length", .brief = "length"};
    slider.words = fmt::format("{} × {} = {}", rows, cols, rows * cols);
    slider.number = std::to_string(rows * cols);
    slider.help =
        "The number of patches with positions, rows times columns. The size of a patch stays the "
        "same. A model's own table is resampled as in its code.";
    slider.value = rows;
    slider.low = kFewest;
    slider.high = kMost;
    slider.slide = [this, rows, cols](double value) {
        auto& held = frame_.memory.own<std::optional<HeldGrid>>();
        if (!held) held = HeldGrid{rows, cols};
        const int next = static_cast<int>(std::round(value));
        if (next == rows) return;
        const double across = static_cast<double>(next) * held->cols / held->rows;
        frame_.say("patch-grid", std::to_string(next),
                   std::to_string(std::max(1, static_cast<int>(std::round(across)))));
    };
    slider.let_go = [this] { frame_.memory.own<std::optional<HeldGrid>>().reset(); };
    rows_.push_back({nullptr, std::move(slider)});
}

bool KindControls::has_slim(const Row& row) {
    return row.slider || row.field->kind == FieldKind::choice;
}

float KindControls::height_of(const Row& row, bool slim) const {
    if (slim && has_slim(row)) return frame_.line() + frame_.px(1);
    if (row.field != nullptr) return field_height(frame_, *row.field);
    return 2 * frame_.line() + frame_.px(12);
}

float KindControls::height(bool slim) const {
    float all = 0;
    for (const Row& row : rows_) all += height_of(row, slim);
    return all;
}

void KindControls::draw(ui::Layout& rect, bool slim) const {
    for (const Row& row : rows_) {
        const float height = height_of(row, slim);
        if (height > rect.h) break;
        draw(row, rect.top(height), slim);
    }
}

void KindControls::draw(const Row& row, ui::Layout rect, bool slim) const {
    if (slim && has_slim(row)) return draw_slim(row, rect);
    if (row.field != nullptr) return field_row(frame_, *row.field, rect);
    ui::Canvas canvas(frame_.ui);
    const ui::Rect label = rect.row(8);
    canvas.label(label, row.slider->label, {});
    const ui::TextStyle value{.face = ui::Face::mono,
                              .size = ui::Size::small,
                              .color = frame_.colors().dim,
                              .align = ui::Align::right};
    const float room = label.w - canvas.measure(row.slider->label, {}) - frame_.px(6);
    const bool roomy = canvas.measure(row.slider->words, value) <= room;
    canvas.label(label, roomy ? row.slider->words : row.slider->number, value);
    explain(label, row.slider->help);
    slide(*row.slider, rect);
}

void KindControls::draw_slim(const Row& row, ui::Layout rect) const {
    ui::Canvas canvas(frame_.ui);
    const ui::TextStyle small{.size = ui::Size::small, .color = frame_.colors().dim};
    const ui::Rect label = rect.left(canvas.measure("slow off", small) + frame_.px(10));
    if (!row.slider) {
        canvas.label(label, row.field->brief_label(), small);
        explain(label, row.field->help);
        return field_choice(frame_, *row.field, rect);
    }
    canvas.label(label, row.slider->brief, small);
    explain(label, row.slider->help);
    const ui::TextStyle value{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    canvas.label(rect.right(canvas.measure("10000", value) + frame_.px(6)), row.slider->number,
                 value);
    slide(*row.slider, rect);
}

void KindControls::explain(const ui::Rect& label, std::string_view help) const {
    if (label.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame_.ui.tooltip(std::string(help));
}

void KindControls::slide(const Slider& slider, const ui::Rect& rect) const {
    double value = slider.value;
    const auto slid = ui::slider(frame_.ui, slider.name, rect, value, slider.low, slider.high,
                                 slider.logarithmic);
    frame_.ui.report(slider.name, slider.number);
    if (slid.changed) slider.slide(value);
    if (!slid.released) return;
    frame_.memory.gesture_ended = true;
    if (slider.let_go) slider.let_go();
}

}  // namespace headlight::screens

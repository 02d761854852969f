#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frame/capitals.h"
#include "frame/field_row.h"
#include "positions/positions.h"
#include "positions_screen/view.h"
#include "ui/color_bar.h"

// What the table comes to: all likenesses, how they fall with the offset, and which kind it is.
namespace headlight::screens {

std::string name_of_kind(const Frame& frame, const PositionChoice& choice) {
    const bool learned =
        choice.kind == PositionKind::model && frame.trace.model->positions.table != nullptr;
    if (learned) return "THE MODEL'S";
    if (choice.kind == PositionKind::model && frame.trace.has(Step::relative_bias))
        return "THE MODEL'S BIAS";
    const bool turns = choice.kind == PositionKind::model && frame.trace.model->rotary;
    if (turns) return "THE MODEL'S ROTATION";
    return capitals(std::string(
        info(choice.kind == PositionKind::model ? PositionKind::sinusoidal : choice.kind).label));
}

void cosine_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    caption_that_fits(frame, rect.cut_top(frame.line()), {"ALL PAIRS (COSINE)", "ALL PAIRS"});
    rect.cut_top(frame.px(4));
    const ui::Rect bar = rect.cut_bottom(frame.line());
    rect.cut_bottom(frame.px(4));
    Shown shown;
    shown.set_cells(view.table->cosines);
    ui::HeatmapSpec spec;
    spec.name = "positions.cosines";
    spec.cells = shown.cells;
    spec.scale = cosine_scale(frame);
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
    frame.ui.tooltip(fmt::format("Patches {} and {}: cosine {}", hit.row, hit.col,
                                 ui::number(shown.view(hit.row, hit.col), 3)));
    if (hit.clicked) pin_patch(frame, hit.row);
}

void profile_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    if (view.table->turns) {
        rotation_part(frame, rect.cut_right(rect.w / 2), view);
        rect.cut_right(frame.px(16));
    }
    ui::Canvas canvas(frame.ui);
    canvas.caption(rect.cut_top(frame.line()), "COSINE BY OFFSET");
    rect.cut_top(frame.px(4));
    const ui::TextStyle small{
        .face = ui::Face::mono, .size = ui::Size::small, .color = frame.colors().dim};
    ui::Rect words = rect.cut_bottom(frame.line());
    const Plot plot = plot_in(frame, rect, {"1", "0", "−1"}, -1, 1);
    const OffsetProfile& profile = view.table->profile;
    const std::size_t most =
        std::max<std::size_t>(2, std::max(profile.along_row.size(), profile.down_column.size())) -
        1;
    const ImU32 along = frame.colors().accent, down = frame.colors().hue(ui::Hue::key);
    curve(frame, plot, profile.along_row, most, along);
    if (profile.along_row.size() > 1)
        frame.ui.report("positions.offset.1", fmt::format("{:.6f}", profile.along_row[1]));
    curve(frame, plot, profile.down_column, most, down);
    ui::TextStyle legend{.size = ui::Size::small, .color = along};
    words.cut_left(plot.rect.x - words.x);
    const bool roomy =
        canvas.measure("along a row, down a column", legend) + frame.px(16) < words.w;
    const std::string_view row = roomy ? "along a row" : "row",
                           column = roomy ? "down a column" : "column";
    canvas.label(words.cut_left(canvas.measure(row, legend) + frame.px(16)), row, legend);
    legend.color = down;
    canvas.label(words.cut_left(canvas.measure(column, legend) + frame.px(8)), column, legend);
    ui::TextStyle end = small;
    end.align = ui::Align::right;
    const std::string apart = fmt::format("{} patches apart", most);
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
    else if (is_of_waves(choice, *frame.trace.model))
        names = {"position_base", "fast_waves_off", "slow_waves_off"};
    std::vector<const Field*> fields;
    for (const std::string_view name : names) {
        if (name == "position_base" && info(choice.kind).base <= 0) continue;
        if (name == "position_seed" && choice.bias.start != BiasStart::drawn) continue;
        fields.push_back(find_field(name));
    }
    return fields;
}

void kind_button(Frame& frame, const ui::Rect& place, const PositionInfo& kind) {
    const std::string name(name_of(kind.id));
    const bool chosen = kind.id == frame.state.recipe.position.kind;
    if (ui::button(frame.ui, "positions.kind." + name, place, kind.label,
                   chosen ? ui::ButtonLook::chip : ui::ButtonLook::plain, std::string(kind.label)))
        frame.set("positions", name);
}

// One below the other; where that leaves no room for `below` in two columns, or closer.
void kind_buttons(Frame& frame, ui::Rect& rect, float below) {
    const auto count = static_cast<int>(all_positions().size());
    const float gap = frame.px(2), usual = frame.line() * 1.5F;
    const auto tall = [&](int rows) { return static_cast<float>(rows) * (usual + gap) + below; };
    const int across = tall(count) > rect.h && rect.w >= frame.px(280) ? 2 : 1;
    const int rows = (count + across - 1) / across;
    const float each =
        std::clamp((rect.h - below) / static_cast<float>(rows) - gap, frame.line() * 1.15F, usual);
    const float wide = rect.w / static_cast<float>(across);
    for (int i = 0; i < count; ++i)
        kind_button(frame,
                    {rect.x + wide * static_cast<float>(i / rows),
                     rect.y + static_cast<float>(i % rows) * (each + gap), wide, each},
                    all_positions()[static_cast<std::size_t>(i)]);
    rect.cut_top(static_cast<float>(rows) * (each + gap));
}

// Back to the step of the walk that they come in.
void step_button(Frame& frame, ui::Rect head) {
    const auto steps = std::to_array({Step::position, Step::relative_bias, Step::rotary});
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

}  // namespace

void kind_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    ui::Rect head = rect.cut_top(frame.line());
    canvas.caption(head, "KIND");
    step_button(frame, head);
    rect.cut_top(frame.px(6));
    const std::vector<const Field*> fields = fields_of_kind(frame, view);
    float below = fields.empty() ? 0 : frame.px(6);
    for (const Field* field : fields) below += field_height(frame, *field);
    kind_buttons(frame, rect, below);
    rect.cut_top(frame.px(6));
    for (const Field* field : fields) {
        const float height = field_height(frame, *field);
        if (height > rect.h) break;
        field_row(frame, *field, rect.cut_top(height));
    }
    if (view.table != nullptr && !view.said->answer.present) {
        canvas.wrapped(rect,
                       "Nothing is added now; what is shown is the table that would be, " +
                           std::string(info(view.table->choice.kind).label) + ".",
                       {.color = frame.colors().dim});
        frame.ui.report("positions.none", "yes");
    }
}

}  // namespace headlight::screens

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/capitals.h"
#include "frame/field_row.h"
#include "positions/positions.h"
#include "positions_screen/view.h"
#include "ui/color_bar.h"

// What the table comes to: all likenesses, how they fall with the offset, what is claimed of such
// tables, and which kind it is.
namespace headlight::screens {

namespace {

// A claim, its number, and whether it holds.
struct Claim {
    std::string words, number;
    bool holds = false;
    std::string tip;
};

constexpr double kExact = 1e-4;  // of float: what rounding leaves

std::vector<Claim> claims_of(const PositionsView& view) {
    const PositionProperties& p = view.table->properties;
    const Index patches = static_cast<Index>(view.rows) * view.cols;
    const double largest = std::max(std::abs(p.low), std::abs(p.high));
    return {
        {"every row distinct",
         fmt::format("{} of {}, nearest {:.3g}", p.distinct, patches, p.nearest),
         p.distinct == patches, "Euclidean distance of the two nearest rows."},
        {"bounded by 1", fmt::format("{:.3g} … {:.3g}", p.low, p.high), largest <= 1 + kExact,
         "The least and the largest number of the table."},
        {"constant length", fmt::format("{:.3g} ± {:.1e}", p.length, p.length_deviation * p.length),
         p.length_deviation < kExact,
         "Mean length of a row, and how far one of them is from it at most."},
        {"next is this one turned", fmt::format("error {:.1e}", p.shift_residual),
         p.shift_residual < kExact,
         "PE(p + 1) = M · PE(p): one rotation for each pair of channels, the same for all patches, "
         "fitted in least squares. The error is what is left over, relative to PE(p + 1)."},
        {"depends on the offset alone", fmt::format("differs by {:.1e}", p.offset_spread),
         p.offset_spread < kExact,
         "How much the cosines of two patches so many rows and columns apart differ at most."},
        {"above as near as beside",
         fmt::format("{:.2f} against {:.2f}", p.upper_neighbour, p.left_neighbour),
         std::abs(p.upper_neighbour - p.left_neighbour) < 0.01,
         "Mean cosine of a patch with the one above it, and with the one beside it."},
    };
}

ui::TextStyle number_style(Frame& frame, const Claim& claim) {
    return {.face = ui::Face::mono,
            .size = ui::Size::small,
            .color = claim.holds ? frame.colors().ok : frame.colors().error,
            .align = ui::Align::right};
}

// The size in which all of them fit.
ui::Size size_of_words(Frame& frame, float width, const std::vector<Claim>& claims) {
    ui::Canvas canvas(frame.ui);
    const float between = frame.px(6) + frame.line();
    return std::ranges::all_of(claims,
                               [&](const Claim& claim) {
                                   return canvas.measure(claim.words, {}) + between +
                                              canvas.measure(claim.number,
                                                             number_style(frame, claim)) <
                                          width;
                               })
               ? ui::Size::body
               : ui::Size::small;
}

void claim_row(Frame& frame, ui::Rect row, const Claim& claim, ui::Size size) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle number = number_style(frame, claim);
    if (row.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(claim.tip);
    canvas.label(row.cut_right(canvas.measure(claim.number, number) + 1), claim.number, number);
    row.cut_right(frame.px(6));
    ui::icon(canvas, claim.holds ? ui::Icon::check : ui::Icon::close,
             row.cut_right(frame.line()).center(), frame.line() * 0.6F, number.color);
    canvas.label(row, claim.words, {.size = size});
    frame.ui.report("positions.claim." + claim.words, claim.holds ? "holds" : "fails");
}

}  // namespace

std::string name_of_kind(const Frame& frame, const PositionChoice& choice) {
    const bool learned =
        choice.kind == PositionKind::model && frame.trace.model->positions.table != nullptr;
    if (learned) return "THE MODEL'S";
    const bool turns = choice.kind == PositionKind::model && frame.trace.model->rotary;
    if (turns) return "THE MODEL'S ROTATION";
    return capitals(std::string(
        info(choice.kind == PositionKind::model ? PositionKind::sinusoidal : choice.kind).label));
}

void cosine_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas(frame.ui).caption(rect.cut_top(frame.line()), "ALL PAIRS (COSINE)");
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
    const ImU32 along = frame.colors().accent, down = frame.colors().hue(ui::Hue::query);
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

void properties_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    ui::Rect inside = rect.inset(frame.px(14), frame.px(10));
    canvas.caption(inside.cut_top(frame.line()),
                   "PROPERTIES · " + name_of_kind(frame, view.table->choice));
    inside.cut_top(frame.px(6));
    const std::vector<Claim> claims = claims_of(view);
    const ui::Size size = size_of_words(frame, inside.w, claims);
    for (const Claim& claim : claims) {
        claim_row(frame, inside.cut_top(frame.line()), claim, size);
        inside.cut_top(frame.px(4));
    }
}

namespace {

// Of tables that are made of waves: what they are made with, and which of them are looked at.
void wave_controls(Frame& frame, ui::Rect& rect, const PositionsView& view) {
    const PositionChoice& choice = view.table->choice;
    if (!is_of_waves(choice, *frame.trace.model)) return;
    rect.cut_top(frame.px(6));
    for (const std::string_view name : {"position_base", "fast_waves_off", "slow_waves_off"}) {
        if (name == "position_base" && info(choice.kind).base <= 0) continue;
        const Field& field = *find_field(name);
        const float height = field_height(frame, field);
        if (height > rect.h) return;
        field_row(frame, field, rect.cut_top(height));
    }
}

}  // namespace

void kind_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    canvas.caption(rect.cut_top(frame.line()), "KIND");
    rect.cut_top(frame.px(6));
    const PositionChoice& now = frame.state.recipe.position;
    for (const PositionInfo& kind : all_positions()) {
        const std::string name(name_of(kind.id));
        const bool chosen = kind.id == now.kind;
        if (ui::button(frame.ui, "positions.kind." + name, rect.cut_top(frame.line() * 1.5F),
                       kind.label, chosen ? ui::ButtonLook::chip : ui::ButtonLook::plain,
                       std::string(kind.label)))
            frame.set("positions", name);
        rect.cut_top(frame.px(2));
    }
    wave_controls(frame, rect, view);
    if (!view.said->answer.present) {
        rect.cut_top(frame.px(6));
        canvas.wrapped(rect,
                       "Nothing is added now; what is shown is the table that would be, " +
                           std::string(info(view.table->choice.kind).label) + ".",
                       {.color = frame.colors().dim});
        frame.ui.report("positions.none", "yes");
    }
}

}  // namespace headlight::screens

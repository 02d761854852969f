#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/counted.h"
#include "positions_screen/view.h"

// M(k): one patch's row of the table is another's, with each pair of channels rotated.
namespace headlight::screens {

namespace {

// "1 column right, 2 rows up"
std::string offset_words(const Offset& k) {
    if (k == Offset{}) return "the patch itself";
    const auto part = [](int count, std::string_view one, const std::string& way) {
        return counted(std::abs(count), one) + " " + way;
    };
    std::string words;
    if (k.right != 0) words = part(k.right, "column", k.right > 0 ? "right" : "left");
    if (k.down != 0)
        words += (words.empty() ? "" : ", ") + part(k.down, "row", k.down > 0 ? "down" : "up");
    return words;
}

void step_of(Frame& frame, ui::Layout& row, const char* field, int value, int most, ui::Icon less,
             ui::Icon more, const std::array<const char*, 2>& tips) {
    const auto go = [&](int to) {
        set_once(frame, field, std::to_string(std::clamp(to, -most, most)));
    };
    const std::string name = std::string("positions.") + field;
    if (ui::button(frame.ui, name + ".less", row.left(row.h), "", ui::ButtonLook::plain, tips[0],
                   less))
        go(value - 1);
    if (ui::button(frame.ui, name + ".more", row.left(row.h), "", ui::ButtonLook::plain, tips[1],
                   more))
        go(value + 1);
}

// Shows k, with buttons to change it.
void choice_of_offset(Frame& frame, ui::Layout row, const PositionsView& view, const Offset& k) {
    const Look& look = frame.state.look;
    step_of(frame, row, "offset_right", look.offset_right, view.cols - 1, ui::Icon::previous,
            ui::Icon::next, {"One column to the left", "One column to the right"});
    step_of(frame, row, "offset_down", look.offset_down, view.rows - 1, ui::Icon::up,
            ui::Icon::chevron_down, {"One row up", "One row down"});
    row.skip_left(8);
    ui::Canvas(frame.ui).label(row, "k = " + offset_words(k), {});
    frame.ui.report("positions.offset", fmt::format("{},{}", k.right, k.down));
}

// Avoids "-0.00".
std::string cell_text(double value) {
    return fmt::format("{:.2f}", std::abs(value) < 0.005 ? 0.0 : value);
}

std::string degrees_text(double degrees) {
    return std::abs(degrees) < 99.5 ? fmt::format("{:.2g}°", degrees)
                                    : fmt::format("{:.0f}°", degrees);
}

// A 2 × 2 matrix in brackets, with labels above and below.
void matrix_of(Frame& frame, const ui::Rect& place, const ChannelPair& pair, const Turn& turn) {
    ui::Canvas canvas(frame.ui);
    ui::Layout rest(frame.ui, place);
    const ui::TextStyle dim = frame.mono_dim(ui::Align::center);
    canvas.label(rest.row(), fmt::format("{},{}", pair.first, pair.second), dim);
    const ui::Rect numbers = rest.top(frame.line() * 2);
    const bool known = !std::isnan(turn.residual);  // otherwise both channels are zero
    const double c = std::cos(turn.angle), s = std::sin(turn.angle);
    const std::array<double, 4> cells{c, s, -s, c};
    ui::TextStyle style = dim;
    style.color = frame.colors().text;
    for (int i = 0; i < 4; ++i)
        canvas.label(
            {numbers.x + numbers.w / 2 * static_cast<float>(i % 2),
             numbers.y + frame.line() * static_cast<float>(i / 2), numbers.w / 2, frame.line()},
            known ? cell_text(cells[static_cast<std::size_t>(i)]) : "–", style);
    const float tick = frame.px(4), bottom = numbers.y + numbers.h;
    for (const auto& [x, inwards] :
         {std::pair{numbers.x, tick}, std::pair{numbers.x + numbers.w, -tick}})
        canvas.path({{x + inwards, numbers.y}, {x, numbers.y}, {x, bottom}, {x + inwards, bottom}},
                    frame.colors().dim, frame.px(1));
    const bool turns = turn.residual < kExact;
    ui::TextStyle left = dim;
    left.color = !known ? frame.colors().dim : turns ? frame.colors().ok : frame.colors().error;
    const double degrees = turn.angle * 180 / std::numbers::pi;
    canvas.label(rest.row(), known ? degrees_text(degrees) : "–", dim);
    canvas.label(rest.row(), "error " + small_number(turn.residual), left);
    if (known && place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(fmt::format(
            "Channels {} and {} of every patch, rotated by {:.1f}°, give those of the patch at "
            "that offset, with an error of {}.",
            pair.first, pair.second, degrees, small_number(turn.residual)));
}

// As many matrices as fit, including the first and the last pair.
void matrices(Frame& frame, const ui::Rect& rect, const std::vector<ChannelPair>& pairs,
              const Turned& found) {
    const float gap = frame.px(14),
                each = ui::Canvas(frame.ui).measure(
                           "-0.00-0.00", {.face = ui::Face::mono, .size = ui::Size::small}) +
                       frame.px(18),
                tall = frame.line() * 5 + frame.px(6);
    const auto across = static_cast<int>((rect.w + gap) / (each + gap)),
               down = static_cast<int>((rect.h + frame.px(6)) / tall);
    const auto count = static_cast<int>(std::min(pairs.size(), found.turns.size()));
    const int shown = std::min(count, across * down);
    for (int i = 0; i < shown; ++i) {
        const auto at = static_cast<std::size_t>(shown < 2 ? 0 : i * (count - 1) / (shown - 1));
        matrix_of(frame,
                  {rect.x + static_cast<float>(i % across) * (each + gap),
                   rect.y + static_cast<float>(i / across) * tall, each, tall},
                  pairs[at], found.turns[at]);
    }
}

// PE(p + k) = M(k) · PE(p), with its error.
void verdict(Frame& frame, ui::Layout row, const Turned& found) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle words{.size = ui::Size::small};
    frame.ui.report("positions.turns.residual", fmt::format("{:.3e}", found.residual));
    if (std::isnan(found.residual))
        return canvas.label(
            row,
            found.patches == 0 ? "No two patches are this far apart." : "The table is all zeros.",
            frame.small_dim());
    const bool holds = found.residual < kExact;
    const ImU32 color = holds ? frame.colors().ok : frame.colors().error;
    const std::string whole = "PE(p + k) = M(k) · PE(p)";
    row.words_left(whole, words, 6);
    ui::icon(canvas, holds ? ui::Icon::check : ui::Icon::close, row.left(frame.line()).center(),
             frame.line() * 0.6F, color);
    const ui::TextStyle number{.face = ui::Face::mono, .size = ui::Size::small, .color = color};
    const std::string error = "error " + small_number(found.residual),
                      of = fmt::format("{}, {} of patches", error, counted(found.patches, "pair"));
    label_that_fits(canvas, row, {of, error}, number);
}

}  // namespace

RotationQuestion rotation_question(const PositionsView& view) {
    return {view.table->table, view.table->pairing, view.rows,
            view.cols,         view.offset.down,    view.offset.right};
}

void turns_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const RotationQuestion question = rotation_question(view);
    const auto said = studies_of(frame).ask(kRotation, question);
    const bool known = said && said->error.empty() && said->question.table == question.table;
    // A moving pointer asks for another offset with every cell; until the answer is there, shows
    // and names the previous offset.
    const Offset shown = known ? Offset{said->question.right, said->question.down} : view.offset;
    choice_of_offset(frame, rect.top(frame.line() * 1.2F, 4), view, shown);
    if (!known) return;
    const ui::Layout foot = rect.last_row(0, 4);
    frame.ui.name("positions.turns", {rect, {}});
    matrices(frame, rect, channel_pairs(said->question.pairing, view.dim()), said->answer);
    verdict(frame, foot, said->answer);
}

}  // namespace headlight::screens

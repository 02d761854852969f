#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "positions_screen/view.h"

// How the added table relates to the token embeddings, and the cost of concatenating instead.
namespace headlight::screens {

namespace {

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

// "12,288" or "1.2 million"
std::string count_in_words(double count) {
    if (count >= 1e9) return fmt::format("{:.1f} billion", count / 1e9);
    if (count >= 1e6) return fmt::format("{:.1f} million", count / 1e6);
    const auto whole = static_cast<long>(std::lround(count));
    return whole < 10000 ? std::to_string(whole)
                         : fmt::format("{},{:03}", whole / 1000, whole % 1000);
}

std::string sentence(const AddedStudy& found) {
    return fmt::format(
        "{} of the table lies along the directions of the embeddings. {} of the table can be "
        "recovered from the sum.",
        percent(found.table_along_tokens), percent(found.of_sum.table));
}

// The full text as a tooltip.
std::string in_full(const AddedStudy& found) {
    std::string words = fmt::format(
        "The space has {3} dimensions. {1} of its directions explain {0} of the variance of the "
        "table's rows, and {2} explain {0} of the variance of the embeddings.\nEach point is the "
        "angle between one direction of the smaller set and the span of the other: 0° if it lies "
        "in that span, 90° if it is perpendicular to it.\nAdded: {4} of the table lies along the "
        "directions of the embeddings, {5} of the embeddings along those of the table. From the "
        "sum, a linear map recovers {6} of the table and {7} of the embeddings (R²; the map for "
        "each patch is fitted to all others).\nSide by side (concatenated): all angles are 90°, "
        "and a linear map recovers {8} of the table and {9} of the embeddings.",
        percent(kMainPart), found.table_directions, found.token_directions, found.width,
        percent(found.table_along_tokens), percent(found.tokens_along_table),
        percent(found.of_sum.table), percent(found.of_sum.tokens), percent(found.of_both.table),
        percent(found.of_both.tokens));
    words +=
        fmt::format(" This needs tokens of {} numbers instead of {}", 2 * found.width, found.width);
    if (found.weights == 0) return words + ".";
    return words + fmt::format(
                       ": queries, keys and values need {} weights instead of {}, and {} "
                       "operations instead of {}.",
                       count_in_words(found.weights_side_by_side), count_in_words(found.weights),
                       count_in_words(found.operations_side_by_side),
                       count_in_words(found.operations));
}

void points(Frame& frame, const ui::Plot& plot, const std::vector<double>& angles, ImU32 color) {
    for (std::size_t i = 0; i < angles.size(); ++i)
        ui::Canvas(frame.ui).circle(plot.at(static_cast<int>(i), angles[i]), frame.px(3), color);
}

}  // namespace

void added_part(Frame& frame, ui::Layout rect) {
    ui::Canvas canvas(frame.ui);
    const auto trace = frame.shared(frame.trace);
    const AddedQuestion wanted{trace};
    const auto said = studies_of(frame).ask(kAddedTable, wanted);
    const ui::TextStyle dim = frame.small_dim();
    if (!said) return canvas.label(rect.row(), "Computing…", dim);
    if (!said->error.empty()) return static_cast<void>(canvas.wrapped(rect, said->error, dim));
    if (!said->answer)
        return static_cast<void>(
            canvas.wrapped(rect, "Nothing is added to the tokens, so nothing overlaps.", dim));
    const AddedStudy& found = *said->answer;
    // For another picture or table: faint and without a number until the new result is there.
    const bool stale = !(said->question == wanted);
    const bool hovered = !stale && rect.contains(ImGui::GetIO().MousePos);
    const std::string words = stale ? "Computing…" : sentence(found);
    const float tall = canvas.measure_wrapped(words, dim, rect.w).y;
    const bool roomy = tall + frame.px(50) + frame.line() < rect.h;
    if (roomy) {
        canvas.wrapped(rect.bottom(tall, 4), words, dim);
    }
    ui::Layout legend = rect.last_row();
    rect.skip_bottom(4);
    const auto count = static_cast<int>(found.angles.size());
    const ui::Plot plot{ui::beside_levels(frame.ui, rect, {"90°", "45°", "0°"}),
                        std::max(2, count) - 1, 0, 90};
    ui::grid(frame.ui, plot);
    frame.ui.name("positions.angles", {plot.rect, {}});
    const ImU32 sum = stale ? frame.colors().faint : frame.colors().accent,
                apart = stale ? frame.colors().faint : frame.colors().hue(ui::Hue::key);
    points(frame, plot, found.angles_side_by_side, apart);
    points(frame, plot, found.angles, sum);
    ui::TextStyle name = dim;
    name.color = sum;
    // If the sentence does not fit, its first number.
    const std::string added =
        roomy || stale ? "added" : "added " + percent(found.table_along_tokens);
    legend.words_left(added, name, 16);
    name.color = apart;
    const float wide = canvas.measure("side by side", name);
    if (wide <= legend.w) canvas.label(legend.left(wide + frame.px(12)), "side by side", name);
    const std::string directions = fmt::format("{} directions", found.angles.size());
    if (canvas.measure(directions, dim) <= legend.w)
        canvas.label(legend, directions, frame.small_dim(ui::Align::right));
    if (stale) return;
    frame.ui.report("positions.added.smallest",
                    found.angles.empty() ? "" : fmt::format("{:.4f}", found.angles.front()));
    frame.ui.report("positions.added.along", fmt::format("{:.6f}", found.table_along_tokens));
    frame.ui.report("positions.added.apart",
                    found.angles_side_by_side.empty()
                        ? ""
                        : fmt::format("{:.4f}", found.angles_side_by_side.front()));
    if (hovered) frame.ui.tooltip(in_full(found));
}

}  // namespace headlight::screens

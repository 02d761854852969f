#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "positions_screen/view.h"

// What is claimed of tables of positions and of relative biases, each with its number.
namespace headlight::screens {

namespace {

// A claim, its number, and whether it holds.
struct Claim {
    std::string words, number;
    std::string brief;  // the number where there is little room
    bool holds = false;
    std::string tip;
};

constexpr double kExact = 1e-4;  // of float: what rounding leaves

std::string number_of(double value) {
    return value == 0     ? "0"
           : value < 1e-2 ? fmt::format("{:.0e}", value)
                          : fmt::format("{:.2g}", value);
}
std::string difference(double value) { return "differs by " + number_of(value); }

// Of a relative bias.
std::vector<Claim> claims_of_bias(const PositionsView& view) {
    const BiasProperties& p = view.head->properties;
    const double reach = std::max({std::abs(p.low), std::abs(p.high), 1e-30F});
    const double products = view.head->deviation_of_products;
    const bool formula = view.bias->choice.kind == PositionKind::relative &&
                         view.bias->choice.bias.start == BiasStart::distance;
    return {
        {"depends on the offset alone", difference(p.offset_spread), number_of(p.offset_spread),
         p.offset_spread <= kExact * reach,
         "How much the bias of two pairs of patches differs at most that lie so many rows and "
         "columns apart. It is made so: one number for each offset."},
        {"the same both ways", difference(p.asymmetry), number_of(p.asymmetry),
         p.asymmetry <= kExact * reach,
         "How much the bias from one patch to another differs at most from that of the way back."},
        {"falls with the distance", fmt::format("correlation {:.2f}", p.with_distance),
         fmt::format("{:.2f}", p.with_distance), p.with_distance <= -0.9,
         "Correlation of the bias with the distance of query and key: −1 where it falls in a "
         "straight line."},
        {"above as near as beside", fmt::format("{:.2f} against {:.2f}", p.above, p.beside),
         fmt::format("{:.2f}, {:.2f}", p.above, p.beside),
         std::abs(p.above - p.beside) <= 0.01 * reach,
         "Mean bias of patches above and below, and of patches beside the query."},
        {"weaker than products", fmt::format("σ {:.2f} against {:.2f}", p.deviation, products),
         fmt::format("{:.2g}×", p.deviation / products), p.deviation < products,
         "Deviation of the bias, and of the scaled products that it is added to: which of both "
         "says more about what is read."},
        {"for larger grids too",
         formula ? "by its formula"
                 : fmt::format("±{} rows, ±{} columns", view.rows - 1, view.cols - 1),
         formula ? "formula" : fmt::format("±{}", std::max(view.rows, view.cols) - 1), formula,
         formula ? "Any distance has a number."
                 : "There are numbers for these offsets alone: a larger picture has offsets that "
                   "nothing was drawn or learned for."},
    };
}

std::vector<Claim> claims_of(const PositionsView& view) {
    if (view.bias != nullptr) return claims_of_bias(view);
    const PositionProperties& p = view.table->properties;
    const Index patches = static_cast<Index>(view.rows) * view.cols;
    const double largest = std::max(std::abs(p.low), std::abs(p.high));
    return {
        {"every row distinct",
         fmt::format("{} of {}, nearest {:.3g}", p.distinct, patches, p.nearest),
         fmt::format("{} of {}", p.distinct, patches), p.distinct == patches,
         "Euclidean distance of the two nearest rows."},
        {"bounded by 1", fmt::format("{:.3g} … {:.3g}", p.low, p.high),
         fmt::format("{:.2g} … {:.2g}", p.low, p.high), largest <= 1 + kExact,
         "The least and the largest number of the table."},
        {"constant length", fmt::format("{:.3g} ± {:.1e}", p.length, p.length_deviation * p.length),
         fmt::format("± {:.0e}", p.length_deviation * p.length), p.length_deviation < kExact,
         "Mean length of a row, and how far one of them is from it at most."},
        {"next is this one turned", fmt::format("error {:.1e}", p.shift_residual),
         fmt::format("{:.0e}", p.shift_residual), p.shift_residual < kExact,
         "PE(p + 1) = M · PE(p): one rotation for each pair of channels, the same for all patches, "
         "fitted in least squares. The error is what is left over, relative to PE(p + 1)."},
        {"depends on the offset alone", difference(p.offset_spread), number_of(p.offset_spread),
         p.offset_spread < kExact,
         "How much the cosines of two patches so many rows and columns apart differ at most."},
        {"above as near as beside",
         fmt::format("{:.2f} against {:.2f}", p.upper_neighbour, p.left_neighbour),
         fmt::format("{:.2f}, {:.2f}", p.upper_neighbour, p.left_neighbour),
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

// How all of them are written: as many words and numbers as there is room for.
struct Writing {
    ui::Size size = ui::Size::body;
    bool brief = false;
};

const std::string& number_of(const Claim& claim, const Writing& writing) {
    return writing.brief ? claim.brief : claim.number;
}

// What of a row is left for the words.
float room_of_words(Frame& frame, float width, const Claim& claim, const Writing& writing) {
    return width - frame.px(6) - frame.line() - 1 -
           ui::Canvas(frame.ui).measure(number_of(claim, writing), number_style(frame, claim));
}

// Where even brief numbers leave too little room, words take two lines.
Writing writing_of(Frame& frame, float width, const std::vector<Claim>& claims) {
    const auto fits = [&](const Writing& writing) {
        return std::ranges::all_of(claims, [&](const Claim& claim) {
            return ui::Canvas(frame.ui).measure(claim.words, {.size = writing.size}) <
                   room_of_words(frame, width, claim, writing);
        });
    };
    for (const Writing& writing : {Writing{}, Writing{ui::Size::small, false}})
        if (fits(writing)) return writing;
    return {ui::Size::small, true};
}

void claim_row(Frame& frame, ui::Rect& rect, const Claim& claim, const Writing& writing) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle number = number_style(frame, claim), words{.size = writing.size};
    const float room = room_of_words(frame, rect.w, claim, writing);
    const bool broken = canvas.measure(claim.words, words) >= room;
    ui::Rect row = rect.cut_top(
        broken ? std::max(frame.line(), canvas.measure_wrapped(claim.words, words, room).y)
               : frame.line());
    if (row.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(writing.brief ? claim.number + "\n" + claim.tip : claim.tip);
    const std::string& found = number_of(claim, writing);
    canvas.label(row.cut_right(canvas.measure(found, number) + 1), found, number);
    row.cut_right(frame.px(6));
    ui::icon(canvas, claim.holds ? ui::Icon::check : ui::Icon::close,
             row.cut_right(frame.line()).center(), frame.line() * 0.6F, number.color);
    if (broken)
        canvas.wrapped(row, claim.words, words);
    else
        canvas.label(row, claim.words, words);
    frame.ui.report("positions.claim." + claim.words, claim.holds ? "holds" : "fails");
}

}  // namespace

void properties_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    ui::Rect inside = rect.inset(frame.px(14), frame.px(10));
    const std::string kind = name_of_kind(frame, view.choice());
    const std::string whole =
        view.bias != nullptr ? fmt::format("{} · HEAD {}", kind, view.head_index + 1) : kind;
    caption_that_fits(frame, inside.cut_top(frame.line()),
                      {"PROPERTIES · " + whole, whole, "PROPERTIES"});
    inside.cut_top(frame.px(6));
    const std::vector<Claim> claims = claims_of(view);
    const Writing writing = writing_of(frame, inside.w, claims);
    for (const Claim& claim : claims) {
        claim_row(frame, inside, claim, writing);
        inside.cut_top(frame.px(4));
    }
}

}  // namespace headlight::screens

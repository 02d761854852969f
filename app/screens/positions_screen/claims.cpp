#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/counted.h"
#include "positions_screen/view.h"

// Claims about position embeddings and relative biases, each with its measured value.
namespace headlight::screens {

namespace {

// A claim, its number, and whether it holds.
struct Claim {
    std::string words, number;
    std::string brief;  // a short value if space is short
    bool holds = false;
    std::string tip;
    std::string why_not = {};  // why it does not apply here; it then neither holds nor fails
};

// With an odd width, the last sine has no cosine, and a single channel is no rotation.
void blame_lone_channel(std::vector<Claim>& claims, const PositionsView& view) {
    const auto lone = lone_channels(view.table->pairing, view.dim());
    if (lone.empty()) return;
    for (Claim& claim : claims)
        for (const std::string_view words :
             {"constant length", "next = this one rotated", "depends only on the offset",
              "symmetric about a patch"})
            if (claim.words == words && !claim.holds) {
                claim.number += fmt::format(", ch {} unpaired", lone.front());
                claim.tip +=
                    fmt::format("\nChannel {} has no partner to rotate with.", lone.front());
            }
}

std::string difference(double value) { return "differs by " + small_number(value); }

// Window sizes do not depend on the size of the picture.
Claim for_larger_grids(const PositionsView& view, bool formula) {
    const int rows = view.bias->rows - 1, cols = view.bias->cols - 1;
    const std::string words = "for larger grids too";
    if (formula)
        return {words, "by its formula", "formula", true,
                "The formula gives a number for every distance."};
    const Trace& trace = *view.said->question.trace;
    const bool windows = view.bias->choice.kind == PositionKind::model && trace.model &&
                         trace.model_layer().window.exists();
    if (windows)
        return {words, "within each window", "windows", true,
                fmt::format("There are numbers for ±{} rows and ±{} columns. A window has no "
                            "other offsets, and a larger picture has more windows.",
                            rows, cols)};
    return {words, fmt::format("±{} rows, ±{} columns", rows, cols),
            fmt::format("±{}", std::max(rows, cols)), false,
            "There are numbers for these offsets only. A larger picture has offsets without a "
            "number."};
}

// Claims about a relative bias.
std::vector<Claim> claims_of_bias(const PositionsView& view) {
    const BiasProperties& p = view.head->properties;
    const double reach = std::max({std::abs(p.low), std::abs(p.high), 1e-30F});
    const double products = view.head->deviation_of_products;
    const bool formula = view.bias->choice.kind == PositionKind::relative &&
                         view.bias->choice.bias.start == BiasStart::distance;
    return {
        {"depends only on the offset", difference(p.offset_spread), small_number(p.offset_spread),
         p.offset_spread <= kExact * reach,
         "Between two pairs of patches with the same offset, the bias differs by at most this "
         "much. It has one number for each offset."},
        {"the same both ways", difference(p.asymmetry), small_number(p.asymmetry),
         p.asymmetry <= kExact * reach,
         "The largest difference between the bias from one patch to another and the bias back."},
        {"falls with the distance", fmt::format("correlation {:.2f}", p.with_distance),
         fmt::format("{:.2f}", p.with_distance), p.with_distance <= -0.9,
         "Correlation of the bias with the distance between query and key: −1 if it falls in a "
         "straight line."},
        {"same down and across", fmt::format("{:.2f} above, {:.2f} beside", p.above, p.beside),
         fmt::format("{:.2f}, {:.2f}", p.above, p.beside),
         std::abs(p.above - p.beside) <= 0.01 * reach,
         "Mean bias of patches above and below, and of patches beside the query."},
        {"weaker than Q·K", fmt::format("σ {:.2g} vs. {:.2g}", p.deviation, products),
         fmt::format("{:.2g}×", p.deviation / products), p.deviation < products,
         "The standard deviations of the bias and of the scaled Q·K that it is added to. The "
         "larger one has more influence on the attention."},
        for_larger_grids(view, formula),
    };
}

// Whether the table extends to more patches than it was made for.
Claim beyond_the_grid(const Frame& frame, const PositionsView& view) {
    const std::string words = "for larger grids too";
    if (draws(view.table->choice))
        return {words, "only for this grid", "this grid", false,
                "There are rows for these patches only. Others would have to be learned."};
    const Model* model = frame.trace.model.get();  // null for given tokens in a single layer
    const bool learned = view.table->choice.kind == PositionKind::model && !view.table->turns &&
                         model != nullptr && model->positions.table != nullptr;
    if (!learned)
        return {words, "by its formula", "formula", true,
                "The formula gives a row for every place, however large the picture is."};
    const PositionTable& own = model->positions;
    const std::string grid = fmt::format("{} × {}", own.grid_rows, own.grid_cols);
    return {words, fmt::format("{}, resampled", grid), grid, false,
            fmt::format("The model has rows for {} places only. For a larger picture, they are "
                        "resampled as in the model's code ({}).",
                        grid, name_of(own.resampling))};
}

// Marks claims that do not apply.
void take_out_of_place(std::vector<Claim>& claims, const PositionsView& view) {
    const PositionProperties& p = view.table->properties;
    const bool one = view.rows * view.cols == 1, zeros = p.length == 0;
    const auto because = [&](std::string_view words, const char* why) {
        for (Claim& claim : claims)
            if (claim.words == words) claim.why_not = why;
    };
    constexpr const char* kZeros = "The table is all zeros.";
    constexpr const char* kOne = "There is only one patch.";
    for (Claim& claim : claims)
        if (zeros && claim.words != "every row distinct" && claim.words != "for larger grids too")
            claim.why_not = kZeros;
    if (view.rows < 2 || view.cols < 2)
        because("same down and across", "There is only one row or one column.");
    if (view.rows < 3 && view.cols < 3)
        because("symmetric about a patch", "No patch has a neighbor on both sides.");
    if (!one) return;
    for (const char* words :
         {"every row distinct", "constant length", "next = this one rotated",
          "depends only on the offset", "symmetric about a patch", "same down and across"})
        because(words, kOne);
}

std::vector<Claim> claims_of(const Frame& frame, const PositionsView& view) {
    if (view.bias != nullptr) {
        std::vector<Claim> claims = claims_of_bias(view);
        if (view.rows * view.cols == 1)
            for (Claim& claim : claims) claim.why_not = "There is only one patch.";
        return claims;
    }
    const PositionProperties& p = view.table->properties;
    const Index patches = static_cast<Index>(view.rows) * view.cols;
    const double largest = std::max(std::abs(p.low), std::abs(p.high));
    std::vector<Claim> claims{
        {"every row distinct",
         fmt::format("{} of {}, nearest {}", p.distinct, patches, ui::number(p.nearest, 3)),
         fmt::format("{} of {}", p.distinct, patches), p.distinct == patches,
         "Euclidean distance between the two nearest rows."},
        {"bounded by 1", fmt::format("{:.3g} … {:.3g}", p.low, p.high),
         fmt::format("{:.2g} … {:.2g}", p.low, p.high), largest <= 1 + kExact,
         "The smallest and the largest number of the table."},
        {"constant length", fmt::format("{:.3g} ± {:.1e}", p.length, p.length_deviation * p.length),
         fmt::format("± {:.0e}", p.length_deviation * p.length), p.length_deviation < kExact,
         "The mean length of a row, and the largest difference from it."},
        {"next = this one rotated", fmt::format("error {:.1e}", p.shift_residual),
         fmt::format("{:.0e}", p.shift_residual), p.shift_residual < kExact,
         "PE(p + 1) = M · PE(p). M holds one rotation for each pair of channels, the same for all "
         "patches and fitted by least squares. A channel without a partner stays as it is. The "
         "error is what remains, relative to PE(p + 1). M(k) shows the rotations."},
        {"depends only on the offset", difference(p.offset_spread), small_number(p.offset_spread),
         p.offset_spread < kExact,
         "Between two pairs of patches with the same offset, the cosine differs by at most this "
         "much."},
        {"symmetric about a patch", difference(p.asymmetry), small_number(p.asymmetry),
         p.asymmetry < kExact,
         "A patch's cosines with the two patches at opposite offsets from it differ by at most "
         "this much."},
        beyond_the_grid(frame, view),
        {"same down and across",
         fmt::format("{:.2f} above, {:.2f} beside", p.upper_neighbor, p.left_neighbor),
         fmt::format("{:.2f}, {:.2f}", p.upper_neighbor, p.left_neighbor),
         std::abs(p.upper_neighbor - p.left_neighbor) < 0.01,
         "Mean cosine of a patch with the one above it, and with the one beside it."},
    };
    blame_lone_channel(claims, view);
    take_out_of_place(claims, view);
    return claims;
}

// The layout for all claims, with as much text as fits. The tooltip has the rest.
struct Writing {
    ui::Size size = ui::Size::body;
    bool brief = false;  // short values
    bool bare = false;   // no values, and only one line of text
    ui::Size numbers = ui::Size::small;
};

ui::TextStyle number_style(Frame& frame, const Claim& claim, const Writing& writing) {
    return {.face = ui::Face::mono,
            .size = writing.numbers,
            .color = !claim.why_not.empty() ? frame.colors().dim
                     : claim.holds          ? frame.colors().ok
                                            : frame.colors().error,
            .align = ui::Align::right};
}

// The height of one line of a claim. The large type of a lecture needs its own.
float line_of(const Frame& frame, const Writing& writing) {
    return frame.state.look.lecture ? frame.line(writing.size) : frame.line();
}

std::string number_of(const Claim& claim, const Writing& writing) {
    if (writing.bare) return "";
    if (!claim.why_not.empty()) return "–";
    return writing.brief ? claim.brief : claim.number;
}

// The width left for the text in a row.
float room_of_words(Frame& frame, float width, const Claim& claim, const Writing& writing) {
    return width - frame.px(6) - frame.line() - 1 -
           ui::Canvas(frame.ui).measure(number_of(claim, writing),
                                        number_style(frame, claim, writing));
}

float row_height(Frame& frame, float width, const Claim& claim, const Writing& writing) {
    if (writing.bare) return line_of(frame, writing);
    const float room = room_of_words(frame, width, claim, writing);
    const ui::TextStyle words{.size = writing.size};
    const float line = line_of(frame, writing);
    if (ui::Canvas(frame.ui).measure(claim.words, words) < room) return line;
    return std::max(line, ui::Canvas(frame.ui).measure_wrapped(claim.words, words, room).y);
}

// If even short values leave too little space, text takes two lines, where those fit.
Writing writing_of(Frame& frame, const ui::Rect& rect, const std::vector<Claim>& claims) {
    const float width = rect.w;
    const auto fits = [&](const Writing& writing) {
        return std::ranges::all_of(claims, [&](const Claim& claim) {
            return ui::Canvas(frame.ui).measure(claim.words, {.size = writing.size}) <
                   room_of_words(frame, width, claim, writing);
        });
    };
    const float large = frame.line(ui::Size::body) * static_cast<float>(claims.size());
    if (frame.state.look.lecture && large <= rect.h)
        for (const bool brief : {false, true})
            for (const ui::Size numbers : {ui::Size::body, ui::Size::small})
                if (const Writing writing{ui::Size::body, brief, false, numbers}; fits(writing))
                    return writing;
    if (!frame.state.look.lecture && fits({})) return {};
    if (const Writing writing{ui::Size::small}; fits(writing)) return writing;
    const Writing brief{ui::Size::small, true};
    float all = -frame.px(4);
    for (const Claim& claim : claims) all += row_height(frame, width, claim, brief) + frame.px(4);
    return all <= rect.h ? brief : Writing{ui::Size::small, true, true};
}

void claim_row(Frame& frame, ui::Layout& rect, const Claim& claim, const Writing& writing) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle number = number_style(frame, claim, writing), words{.size = writing.size};
    const bool broken = !writing.bare && canvas.measure(claim.words, words) >=
                                             room_of_words(frame, rect.w, claim, writing);
    ui::Layout row = rect.top(row_height(frame, rect.w, claim, writing));
    const bool applies = claim.why_not.empty();
    if (row.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip((writing.bare ? claim.words + "\n" : "") +
                         (!applies        ? claim.why_not + "\n" + claim.tip
                          : writing.brief ? claim.number + "\n" + claim.tip
                                          : claim.tip));
    const std::string found = number_of(claim, writing);
    row.words_right(found, number);
    if (!found.empty()) row.skip_right(6);
    const ui::Rect sign = row.right(frame.line());
    if (applies)
        ui::icon(canvas, claim.holds ? ui::Icon::check : ui::Icon::close, sign.center(),
                 frame.line() * 0.6F, number.color);
    if (broken)
        canvas.wrapped(row, claim.words, words);
    else
        canvas.label(row, claim.words, words);
    frame.ui.report("positions.claim." + claim.words, !applies      ? "none"
                                                      : claim.holds ? "holds"
                                                                    : "fails");
}

// What raster order does to neighbors, and how another table differs: the whole text, and a short
// one for large type.
struct SentenceOf {
    std::string whole, brief;
};
SentenceOf sentence_of(const PositionsView& view) {
    const PositionQuestion& asked = view.said->question;
    if (view.bias == nullptr && (asked.fast_off > 0 || asked.slow_off > 0) &&
        is_of_waves(view.table->choice, *asked.trace->model))
        return {
            "Only this view of the table leaves waves out. Tokens, maps and outputs use all "
            "waves.",
            "Only this view leaves waves out."};
    if (view.bias != nullptr || view.table->turns || view.rows < 2 || view.cols < 2) return {};
    const PositionStudy& study = view.said->answer;
    const PositionKind kind = view.table->choice.kind == PositionKind::model
                                  ? study.equals.value_or(PositionKind::model)
                                  : view.table->choice.kind;
    const auto& model = view.said->question.trace->model;
    const bool bare = model == nullptr || model->is_bare_layer();
    if (kind == PositionKind::sinusoidal || (kind == PositionKind::model && bare))
        return {fmt::format("Raster order puts the rows of the picture one after the other. So the "
                            "patch above is {} away. 2-D sinusoidal gives rows and columns their "
                            "own waves.",
                            counted(view.cols, "position")),
                fmt::format("In raster order, the patch above is {} away.",
                            counted(view.cols, "position"))};
    if (kind == PositionKind::sincos_2d)
        return {
            "Rows and columns have their own waves, so the patch above is as near as the one "
            "beside.",
            "Rows and columns have their own waves."};
    return {};
}

// Below the claims: the largest that fits.
void draw_sentence(Frame& frame, const ui::Rect& rect, const SentenceOf& sentence) {
    ui::Canvas canvas(frame.ui);
    const auto drawn = [&](const std::string& words, ui::Size size) {
        const ui::TextStyle dim{.size = size, .color = frame.colors().dim};
        if (words.empty() || canvas.measure_wrapped(words, dim, rect.w).y > rect.h) return false;
        canvas.wrapped(rect, words, dim);
        frame.ui.report("positions.claims.sentence", words);
        return true;
    };
    if (frame.state.look.lecture &&
        (drawn(sentence.whole, ui::Size::body) || drawn(sentence.brief, ui::Size::body)))
        return;
    drawn(sentence.whole, ui::Size::small);
}

void claims_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const std::vector<Claim> claims = claims_of(frame, view);
    const Writing writing = writing_of(frame, rect, claims);
    const auto count = static_cast<float>(claims.size());
    const SentenceOf sentence = sentence_of(view);
    // In a lecture, the claims and the sentence fill the card.
    const bool lecture = frame.state.look.lecture;
    const float kept = !lecture || sentence.brief.empty()
                           ? 0
                           : ui::Canvas(frame.ui)
                                 .measure_wrapped(sentence.brief, {.size = ui::Size::body}, rect.w)
                                 .y;
    const float gap = std::clamp((rect.h - kept - count * line_of(frame, writing)) / count, 0.0F,
                                 frame.px(lecture ? 24 : 4));
    for (const Claim& claim : claims) {
        if (rect.h < line_of(frame, writing)) break;
        claim_row(frame, rect, claim, writing);
        rect.top(std::min(gap, std::max(0.0F, rect.h)));
    }
    if (!lecture) rect.skip_top(4);
    draw_sentence(frame, rect, sentence);
}

constexpr const char* kProperties = "properties";

// The large type of a lecture widens the text.
float width_of_card_choice(const Frame& frame) {
    const float words = ui::Canvas(frame.ui).measure(kProperties, {}) + frame.px(16);
    return std::max(frame.px(160), words * 1.6F);
}

// Properties or M(k), which exist only for a table.
void choice_of_card(Frame& frame, const ui::Rect& rect) {
    const auto now = static_cast<int>(frame.state.look.position_card);
    const int chosen = ui::segmented(frame.ui, "positions.card", rect, {kProperties, "M(k)"}, now);
    if (chosen >= 0 && chosen != now)
        set_once(frame, "position_card", std::string(name_of(static_cast<PositionCard>(chosen))));
}

}  // namespace

std::string small_number(double value) {
    return std::isnan(value) ? "–"
           : value == 0      ? "0"
           : value < 1e-2    ? fmt::format("{:.0e}", value)
                             : fmt::format("{:.2g}", value);
}

void properties_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas(frame.ui).card(rect, frame.colors().card);
    frame.ui.name("positions.properties", {rect, {}});
    ui::Layout inside(frame.ui, rect, 14, 10);
    const std::string kind = name_of_kind(frame, view, view.choice());
    const std::string whole =
        view.bias != nullptr ? fmt::format("{} · HEAD {}", kind, view.head_index + 1) : kind;
    const bool turns =
        view.bias == nullptr && frame.state.look.position_card == PositionCard::rotation;
    ui::Layout head = inside.top(frame.line() * (view.bias == nullptr ? 1.4F : 1.0F));
    if (view.bias == nullptr) {
        const bool narrow = head.w < frame.px(220);  // it then needs the whole line
        const float most = narrow ? 1.0F : frame.state.look.lecture ? 0.8F : 0.6F;
        choice_of_card(frame, head.right(std::min(width_of_card_choice(frame), head.w * most), 8));
    }
    const std::string what = turns ? "ROTATIONS" : "PROPERTIES";
    if (head.w > frame.px(40))
        caption_that_fits(frame.ui, head, {what + " · " + whole, whole, what, ""});
    inside.skip_top(6);
    turns ? turns_part(frame, inside, view) : claims_part(frame, inside, view);
}

}  // namespace headlight::screens

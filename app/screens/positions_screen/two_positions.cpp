#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "positions_screen/view.h"

// Which waves distinguish two positions, and which positions cannot be distinguished.
namespace headlight::screens {

int other_position(const Frame& frame, const PositionsView& view) {
    const int count = view.rows * view.cols;
    const int chosen = frame.state.look.other_position.value_or(view.patch + 1);
    const int other = std::clamp(chosen, 0, count - 1);
    return other != view.patch || frame.state.look.other_position ? other
                                                                  : std::max(0, view.patch - 1);
}

namespace {

constexpr double kMostOfIt = 0.9;  // of the squared distance

void choose_other(Frame& frame, int position) {
    frame.set("other_position", std::to_string(position));
    frame.memory.gesture_ended = true;
}

// "What tells token 4 from token 6": the question, with buttons to change the second position.
void question_row(Frame& frame, ui::Layout row, const PositionsView& view, int other) {
    const int count = view.rows * view.cols;
    const auto step = [&](const std::string& name, ui::Icon icon, int to, const std::string& tip) {
        if (ui::button(frame.ui, "positions.apart." + name, row.right(row.h), "",
                       ui::ButtonLook::plain, tip, icon))
            choose_other(frame, std::clamp(to, 0, count - 1));
    };
    step("next", ui::Icon::next, other + 1, "Next second position");
    step("previous", ui::Icon::previous, other - 1, "Previous second position");
    const Index one = token_of_patch(frame, view.patch), two = token_of_patch(frame, other);
    caption_that_fits(frame.ui, row,
                      {fmt::format("WHAT TELLS TOKEN {} FROM TOKEN {}", one, two),
                       fmt::format("TOKEN {} FROM {}", one, two)});
}

// The distance of every position from the focused one; a click chooses the second one.
void map_of_distances(Frame& frame, const ui::Rect& rect, const PositionsView& view, int other,
                      Distances& distances) {
    const MatrixView table = view.table->table->view();
    if (distances.version != view.table->table->version() || distances.patch != view.patch) {
        Matrix found(1, table.rows);
        for (Index row = 0; row < table.rows; ++row)
            found(0, row) = (table.eigen().row(row) - table.eigen().row(view.patch)).norm();
        distances = {view.table->table->version(), view.patch, make_result(std::move(found))};
    }
    const MatrixView all = distances.found->view();
    ui::HeatmapSpec spec;
    spec.name = "positions.apart.map";
    spec.cells = {all.data,       view.rows, view.cols, view.cols, distances.found->version(),
                  distances.found};
    spec.scale = positive_scale(frame, std::max(1e-30F, all.eigen().maxCoeff()));
    spec.window = {0, 0, static_cast<float>(view.rows), static_cast<float>(view.cols)};
    spec.numbers = false;
    const float aspect = static_cast<float>(view.cols) / static_cast<float>(view.rows);
    const ui::Rect place = view.rows == 1 ? rect : rect.fit(aspect);
    const auto hit = ui::heatmap(frame.ui, place, spec);
    const auto mark = [&](int position, ImU32 color) {
        const float wide = place.w / static_cast<float>(view.cols),
                    tall = place.h / static_cast<float>(view.rows);
        ui::Canvas(frame.ui).mark(
            {place.x + static_cast<float>(position % view.cols) * wide,
             place.y + static_cast<float>(position / view.cols) * tall, wide, tall},
            color, frame.px(1.5F));
    };
    mark(view.patch, ui::dark_palette().accent);
    mark(other, ui::dark_palette().hue(ui::Hue::key));
    if (!hit.hovered) return;
    const int position = hit.row * view.cols + hit.col;
    frame.ui.tooltip(fmt::format("Token {} is {} from token {}\nClick to see what tells them apart",
                                 token_of_patch(frame, position), ui::number(all(0, position), 3),
                                 token_of_patch(frame, view.patch)));
    if (hit.clicked) choose_other(frame, position);
}

// Labels for the first and the last pair of channels.
std::pair<std::string, std::string> ends_of_hands(const Frame& frame, const PositionsView& view,
                                                  Halves halves) {
    if (halves == Halves::columns_rows) return {"columns", "rows"};
    if (halves == Halves::rows_columns) return {"rows", "columns"};
    const bool waves = is_of_waves(view.table->choice, *frame.trace.model) ||
                       view.said->answer.equals == PositionKind::sinusoidal;
    if (waves) return {"fast", "slow"};
    return {"channel 0", fmt::format("channel {}", view.dim() - 1)};
}

// One bar for every pair of channels: the distance of its two hands.
void hands_plot(Frame& frame, ui::Layout rect, const PositionsView& view,
                const std::vector<HandDifference>& hands, PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small = frame.small_dim();
    ui::Rect words = rect.bottom(rect.h < frame.px(44) ? 0 : frame.line());
    double reach = 1e-30;
    for (const HandDifference& hand : hands) reach = std::max(reach, hand.distance);
    frame.ui.name("positions.apart", {rect, {}});
    canvas.line({rect.x, rect.y + rect.h}, {rect.x + rect.w, rect.y + rect.h},
                frame.colors().border);
    const auto count = static_cast<float>(hands.size());
    const float each = std::min(rect.w / count, frame.px(36)), wide = std::max(1.0F, each * 0.8F);
    const Halves halves = halves_of(view.table->table->view(), view.rows, view.cols);
    for (std::size_t i = 0; i < hands.size(); ++i) {
        const bool second = i >= hands.size() / 2,
                   of_row = halves == (second ? Halves::columns_rows : Halves::rows_columns);
        const float high = rect.h * static_cast<float>(hands[i].distance / reach);
        canvas.fill({rect.x + static_cast<float>(i) * each, rect.y + rect.h - high, wide, high},
                    of_row ? frame.colors().hue(ui::Hue::key) : frame.colors().accent);
    }
    const auto [left, right] = ends_of_hands(frame, view, halves);
    canvas.label(words, left, small);
    ui::TextStyle end = small;
    end.align = ui::Align::right;
    canvas.label(words, right, end);
    frame.ui.report("positions.apart.ends", left + ", " + right);
    if (!rect.contains(ImGui::GetIO().MousePos) || hands.empty()) return;
    const auto at = std::min(hands.size() - 1,
                             static_cast<std::size_t>((ImGui::GetIO().MousePos.x - rect.x) / each));
    const HandDifference& hand = hands[at];
    memory.next_hovered_channel = static_cast<int>(hand.pair.first);
    const std::string apart = ui::number(hand.distance, 3);
    if (hand.pair.first == hand.pair.second)
        return frame.ui.tooltip(fmt::format("Channel {}: {} apart", hand.pair.first, apart));
    frame.ui.tooltip(fmt::format(
        "Channels {} and {}: tips of the hands {} apart{}", hand.pair.first, hand.pair.second,
        apart,
        std::isnan(hand.angle)
            ? ", one hand has length zero"
            : fmt::format(", angle between them {:.1f}°", hand.angle * 180 / std::numbers::pi)));
}

std::string words_of_waves(const std::vector<HandDifference>& hands) {
    const auto most = most_distinguishing(hands, kMostOfIt);
    if (most.empty()) return "nothing tells them apart";
    return fmt::format("{} of {} hands make up 90 % of the squared distance", most.size(),
                       hands.size());
}

// "12 of 4950 pairs collapse: nearer than 0.06", with as many other lines as fit.
void collapsed_words(Frame& frame, ui::Layout rect, const CollapsedPairs& found,
                     const std::vector<HandDifference>& hands) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small = frame.small_dim();
    ui::TextStyle counted = small;
    counted.color = found.count == 0 ? frame.colors().ok : frame.colors().error;
    const ui::Rect all = rect;
    const std::string within = ui::number(found.within, 2), waves = words_of_waves(hands),
                      whole = found.count == 0
                                  ? fmt::format("no pair collapses: none nearer than {}", within)
                                  : fmt::format("{} of {} pairs collapse: nearer than {}",
                                                found.count, found.of, within),
                      brief = found.count == 0
                                  ? "no pair collapses"
                                  : fmt::format("{} of {} collapse", found.count, found.of),
                      nearest =
                          found.first < 0
                              ? ""
                              : fmt::format("nearest: {} and {}, {}",
                                            token_of_patch(frame, static_cast<int>(found.first)),
                                            token_of_patch(frame, static_cast<int>(found.second)),
                                            ui::number(found.nearest, 2));
    const auto line = [&](const std::string& text, const ui::TextStyle& style) {
        if (rect.h >= frame.line() * 0.9F) canvas.label(rect.row(), text, style);
    };
    line(first_that_fits(canvas, {whole, brief}, counted, rect.w), counted);
    line(nearest, small);
    line(waves, small);
    if (all.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(fmt::format("{} (1 % of the mean length of a row with all waves)\n{}\n{}",
                                     whole, nearest, waves));
}

}  // namespace

void apart_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    if (view.table == nullptr || view.rows * view.cols < 2)
        return static_cast<void>(ui::Canvas(frame.ui).wrapped(
            rect, "There is no position table here.", frame.small_dim()));
    const int other = other_position(frame, view);
    question_row(frame, rect.top(frame.line() * 1.2F, 4), view, other);
    const auto hands =
        hand_differences(view.table->table->view(), view.table->pairing, view.patch, other);
    const float lines = rect.h >= frame.line() * 7 ? 3 : rect.h >= frame.line() * 5 ? 2 : 1;
    const ui::Layout words = rect.bottom(frame.line() * lines, 4);
    const bool row = view.rows == 1;
    map_of_distances(frame,
                     row ? rect.top(std::min(rect.h * 0.25F, frame.px(24)))
                         : rect.left(std::min(rect.w * 0.36F, rect.h)),
                     view, other, memory.distances);
    row ? rect.top(frame.px(8)) : rect.left(frame.px(10));
    hands_plot(frame, rect, view, hands, memory);
    double squares = 0;
    for (const HandDifference& hand : hands) squares += hand.distance * hand.distance;
    frame.ui.report("positions.apart", fmt::format("{} {}", view.patch, other));
    frame.ui.report("positions.apart.distance", fmt::format("{:.6f}", std::sqrt(squares)));
    frame.ui.report("positions.apart.pairs",
                    std::to_string(most_distinguishing(hands, kMostOfIt).size()));
    if (const auto& collapsed = view.table->collapsed) {  // otherwise it is being computed
        collapsed_words(frame, words, *collapsed, hands);
        frame.ui.report("positions.apart.collapsed", std::to_string(collapsed->count));
    }
}

}  // namespace headlight::screens

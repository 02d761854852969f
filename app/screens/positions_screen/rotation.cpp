#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/rotary_profile.h"
#include "frame/fitting_words.h"
#include "positions_screen/view.h"

// Rotary positions: the product of one query and one key of the current layer at all offsets.
namespace headlight::screens {

namespace {

// The source of the last profile, which is reused in unchanged frames.
struct LastProfile {
    std::array<std::uint64_t, 4> versions{};
    int head = -1, patch = -1;
    std::optional<RotaryProfile> found;
};

struct Range {
    double low = 0, high = 0;  // including zero
};
Range range_of(const RotaryProfile& profile) {
    Range range;
    for (const auto* means : {&profile.along_row, &profile.down_column})
        for (const double mean : *means) {
            range.low = std::min(range.low, mean);
            range.high = std::max(range.high, mean);
        }
    return range;
}

// Offset 0 is in the middle, ±`most` at the ends.
void curve(Frame& frame, const ui::Rect& rect, const std::vector<double>& means, int most,
           const Range& range, ImU32 color) {
    const int reach = static_cast<int>(means.size() / 2);
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < means.size(); ++i) {
        const float offset = static_cast<float>(static_cast<int>(i) - reach);
        const double part = (range.high - means[i]) / std::max(range.high - range.low, 1e-30);
        points.push_back({rect.center().x + offset / static_cast<float>(most) * rect.w / 2,
                          rect.y + rect.h * static_cast<float>(part)});
    }
    if (points.size() > 1) ui::Canvas(frame.ui).path(std::move(points), color, frame.px(2));
}

void say_at(Frame& frame, const ui::Rect& rect, const RotaryProfile& profile, int most) {
    if (!rect.contains(ImGui::GetIO().MousePos)) return;
    const float part = (ImGui::GetIO().MousePos.x - rect.center().x) / std::max(1.0F, rect.w / 2);
    const int offset = static_cast<int>(std::round(part * static_cast<float>(most)));
    std::string words = key_offset_words(offset);
    const auto say = [&](const char* where, const std::vector<double>& means) {
        const int at = offset + static_cast<int>(means.size() / 2);
        if (at >= 0 && at < static_cast<int>(means.size()))
            words += fmt::format("\n{} {:.3f}", where, means[static_cast<std::size_t>(at)]);
    };
    say("along the row", profile.along_row);
    say("down the column", profile.down_column);
    frame.ui.tooltip(words);
}

}  // namespace

const std::optional<RotaryProfile>& rotation_profile(Frame& frame, const PositionsView& view) {
    const Trace& trace = frame.trace;
    auto& last = frame.memory.own<LastProfile>();
    const std::array versions{
        trace.version(Tensor::query_unrotated), trace.version(Tensor::key_unrotated),
        trace.version(Tensor::rotary_sine), trace.version(Tensor::rotary_cosine)};
    if (last.versions == versions && last.head == frame.head && last.patch == view.patch)
        return last.found;
    last = {versions, frame.head, view.patch, std::nullopt};
    const Node* rotation = trace.node(Step::rotary);
    const MatrixView queries = trace.view(Tensor::query_unrotated, 0, frame.head),
                     keys = trace.view(Tensor::key_unrotated, 0, frame.head);
    const Index token = trace.layout.prefix() + view.patch;
    if (rotation == nullptr || token >= queries.rows || token >= keys.rows) return last.found;
    last.found =
        rotary_profile(queries.block(token, 0, 1, queries.cols), keys.block(token, 0, 1, keys.cols),
                       rotation->get<Rotary>(), trace.view(Tensor::rotary_sine),
                       trace.view(Tensor::rotary_cosine), token_grid_of(trace), view.patch);
    return last.found;
}

void rotation_part(Frame& frame, ui::Rect rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    const std::string head = fmt::format("HEAD {}", frame.head + 1);
    caption_that_fits(frame, rect.cut_top(frame.line()),
                      {"Q·K BY OFFSET · " + head, "Q·K · " + head, "Q·K"});
    rect.cut_top(frame.line() * 0.6F);
    const auto& profile = rotation_profile(frame, view);
    if (!profile) return;
    const Range range = range_of(*profile);
    const ui::TextStyle small{
        .face = ui::Face::mono, .size = ui::Size::small, .color = frame.colors().dim};
    const std::string high = ui::number(range.high, 2), low = ui::number(range.low, 2);
    const ui::Rect foot = rect.cut_bottom(frame.line());
    const ui::Rect side = rect.cut_left(
        std::max(canvas.measure(high, small), canvas.measure(low, small)) + frame.px(8));
    canvas.text({side.x, rect.y}, high, small);  // within the plot, as in plot_in()
    canvas.text({side.x, rect.y + std::max(0.0F, rect.h - frame.line())}, low, small);
    const int most = std::max(1, std::max(view.rows, view.cols) - 1);
    const float zero =
        rect.y + rect.h * static_cast<float>(range.high / std::max(range.high - range.low, 1e-30));
    canvas.line({rect.x, zero}, {rect.x + rect.w, zero}, frame.colors().border);
    canvas.line({rect.center().x, rect.y}, {rect.center().x, rect.y + rect.h},
                frame.colors().border);
    curve(frame, rect, profile->along_row, most, range, frame.colors().accent);
    curve(frame, rect, profile->down_column, most, range, frame.colors().hue(ui::Hue::key));
    const std::string spread = fmt::format("± {:.0e}", profile->spread);
    const ui::TextStyle dim{.size = ui::Size::small, .color = frame.colors().dim};
    // The product is measured over the focused patch's row and column.
    const std::string among = spread + ", " + row_and_column(view.patch, view.cols);
    const std::string words = first_that_fits(canvas, {among, spread}, dim, foot.w),
                      reach = fmt::format("key ±{} patches off", most);
    canvas.label(foot, words, dim);
    if (canvas.measure(words, dim) + frame.px(12) + canvas.measure(reach, dim) <= foot.w)
        canvas.label(
            foot, reach,
            {.size = ui::Size::small, .color = frame.colors().dim, .align = ui::Align::right});
    if (foot.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(
            fmt::format("Q·K for the query and key of {}, moved to every pair of places in its row "
                        "and in its column.\nIt depends on the offset alone: for the same offset "
                        "it differs by at most {:.0e}.",
                        name_and_place(frame, view.patch), profile->spread));
    frame.ui.report("positions.rotation.spread", fmt::format("{:.2e}", profile->spread));
    frame.ui.name("positions.rotation", {rect, {}});
    say_at(frame, rect, *profile, most);
}

}  // namespace headlight::screens

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/rotary_profile.h"
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

// From −`most` to `most` patches, with zero between the edges.
ui::Plot plot_of(const RotaryProfile& profile, int most) {
    ui::Plot plot{{}, 2 * most, 0, 0};
    for (const auto* means : {&profile.along_row, &profile.down_column})
        for (const double mean : *means) {
            plot.low = std::min(plot.low, mean);
            plot.high = std::max(plot.high, mean);
        }
    return plot;
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

void rotation_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    const std::string head = fmt::format("HEAD {}", frame.head + 1);
    caption_that_fits(frame.ui, rect.row(), {"Q·K BY OFFSET · " + head, "Q·K · " + head, "Q·K"});
    rect.top(frame.line() * 0.6F);
    const auto& profile = rotation_profile(frame, view);
    if (!profile) return;
    const int most = std::max(1, std::max(view.rows, view.cols) - 1);
    ui::Plot plot = plot_of(*profile, most);
    const std::string high = ui::number(plot.high, 2), low = ui::number(plot.low, 2);
    plot.low = std::min(plot.low, plot.high - 1e-30);
    const ui::Rect foot = rect.last_row();
    plot.rect = rect = ui::beside_levels(frame.ui, rect, {high, low});
    const float zero = plot.at(0, 0).y;
    canvas.line({rect.x, zero}, {rect.x + rect.w, zero}, frame.colors().border);
    canvas.line({rect.center().x, rect.y}, {rect.center().x, rect.y + rect.h},
                frame.colors().border);
    curve_around(frame, plot, profile->along_row, frame.colors().accent);
    curve_around(frame, plot, profile->down_column, frame.colors().hue(ui::Hue::key));
    const std::string spread = fmt::format("± {:.0e}", profile->spread);
    const ui::TextStyle dim = frame.small_dim();
    // The product is measured over the focused patch's row and column.
    const std::string among = spread + ", " + row_and_column(view.patch, view.cols);
    const std::string words = first_that_fits(canvas, {among, spread}, dim, foot.w),
                      reach = fmt::format("key ±{} patches off", most);
    canvas.label(foot, words, dim);
    if (canvas.measure(words, dim) + frame.px(12) + canvas.measure(reach, dim) <= foot.w)
        canvas.label(foot, reach, frame.small_dim(ui::Align::right));
    if (foot.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(
            fmt::format("Q·K for the query and key of {}, moved to every pair of places in its row "
                        "and in its column.\nIt depends on the offset alone: for the same offset "
                        "it differs by at most {:.0e}.",
                        name_and_place(frame, view.patch), profile->spread));
    frame.ui.report("positions.rotation.spread", fmt::format("{:.2e}", profile->spread));
    frame.ui.name("positions.rotation", {rect, {}});
    tip_around(frame, plot, profile->along_row, profile->down_column);
}

}  // namespace headlight::screens

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/block_means.h"
#include "frame/capitals.h"
#include "frame/export.h"
#include "kernels/counted.h"
#include "positions_screen/view.h"
#include "ui/color_bar.h"

// The table as a matrix, as rotating hands, and as waves along the positions.
namespace headlight::screens {

namespace {

constexpr int kClocks = 6, kWaves = 5;

// `wanted` of `count` indices, evenly spaced, including the first and the last.
std::vector<int> spread(int wanted, int count) {
    std::vector<int> chosen;
    const int many = std::min(wanted, count);
    for (int i = 0; i < many; ++i) chosen.push_back(many < 2 ? 0 : i * (count - 1) / (many - 1));
    return chosen;
}

// The table's largest absolute value, so that a wave fills its band.
float reach_of(const PositionsView& view) {
    const PositionProperties& p = view.table->properties;
    const float reach = std::max(std::abs(p.low), std::abs(p.high));
    return reach > 0 && std::isfinite(reach) ? reach : 1.0F;
}

// The longest hand of a pair over all patches, which reaches the circle.
float reach_of(const PositionsView& view, const ChannelPair& pair) {
    const MatrixView channels = view.table->channels->view();
    const auto lengths = (channels.eigen().row(pair.first).array().square() +
                          channels.eigen().row(pair.second).array().square())
                             .sqrt();
    const float reach = lengths.maxCoeff();
    return reach > 0 && std::isfinite(reach) ? reach : 1.0F;
}

double angle_of(const PositionsView& view, const ChannelPair& pair, int patch) {
    const MatrixView table = view.table->table->view();
    return std::atan2(table(patch, pair.first), table(patch, pair.second));
}

// The shorter way around the circle, in radians.
double between(double a, double b) { return std::abs(std::remainder(a - b, 2 * std::numbers::pi)); }

// The patch whose hand is nearest to an angle. If several are, one close to the current patch,
// because a fast hand goes around many times.
int patch_at_angle(const PositionsView& view, const ChannelPair& pair, double angle) {
    const int row = view.patch / view.cols, col = view.patch % view.cols;
    const double now = angle_of(view, pair, view.patch);
    double step = 0;  // angle from one patch to the next
    if (view.cols > 1)
        step = between(now, angle_of(view, pair, view.patch + (col + 1 < view.cols ? 1 : -1)));
    if (view.rows > 1)
        step = std::max(
            step,
            between(now, angle_of(view, pair,
                                  view.patch + (row + 1 < view.rows ? view.cols : -view.cols))));
    int best = view.patch;
    double least = between(now, angle);
    for (int patch = 0; patch < view.rows * view.cols; ++patch) {
        const int away = std::abs(patch / view.cols - row) + std::abs(patch % view.cols - col);
        const double cost = between(angle_of(view, pair, patch), angle) + 0.2 * step * away;
        if (cost < least) {
            least = cost;
            best = patch;
        }
    }
    return best;
}

void turn_hand(Frame& frame, const ui::Rect& face, const PositionsView& view,
               const ChannelPair& pair) {
    // Hands and waves show the table, so the pointer works as on the table.
    const auto mouse =
        ui::interact(frame.ui, fmt::format("positions.hand.{}", pair.first), face, ui::Stop::no);
    if (mouse.held) {
        const ImVec2 at = ImGui::GetIO().MousePos, middle = face.center();
        const int patch = patch_at_angle(view, pair, std::atan2(middle.y - at.y, at.x - middle.x));
        focus_on_patch(frame, patch);
        if (pinned_patch(frame) != patch) pin_patch(frame, patch);
    }
    if (mouse.released) frame.memory.gesture_ended = true;
}

void hand(Frame& frame, const ui::Rect& rect, const PositionsView& view, const ChannelPair& pair) {
    ui::Canvas canvas(frame.ui);
    const MatrixView table = view.table->table->view();
    const float sine = table(view.patch, pair.first), cosine = table(view.patch, pair.second);
    ui::Layout face(frame.ui, rect);
    const ui::Rect words = face.last_row();
    const float radius = std::min(face.w, face.h) / 2 - frame.px(2);
    if (radius < frame.px(6)) return;
    const ImVec2 middle = face.center();
    canvas.circle(middle, radius, frame.colors().faint, frame.px(1));
    turn_hand(frame, face, view, pair);
    const float scale = radius / reach_of(view, pair);
    // With M(k), the patch that it rotates to.
    const auto there = view.patch_there();
    if (there && frame.state.look.position_card == PositionCard::rotation)
        canvas.line(middle,
                    {middle.x + table(*there, pair.second) * scale,
                     middle.y - table(*there, pair.first) * scale},
                    frame.colors().hue(ui::Hue::key), frame.px(2));
    canvas.line(middle, {middle.x + cosine * scale, middle.y - sine * scale}, frame.colors().accent,
                frame.px(2.5F));
    const ui::TextStyle small = frame.mono_dim(ui::Align::center);
    // If both do not fit, the hand is named after its first channel.
    label_that_fits(canvas, words,
                    {fmt::format("{},{}", pair.first, pair.second), std::to_string(pair.first)},
                    small);
    if (rect.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(
            fmt::format("Channels {} and {}: {:.3f} and {:.3f}, a hand at {:.0f}°\nDrag it to go "
                        "to the patch with that angle",
                        pair.first, pair.second, sine, cosine,
                        std::atan2(sine, cosine) * 180 / std::numbers::pi));
}

void wave(Frame& frame, const ui::Rect& band, const PositionsView& view, int channel, ImU32 color) {
    const MatrixView channels = view.table->channels->view();
    const float reach = reach_of(view), half = band.h / 2 - frame.px(2);
    const auto count = static_cast<int>(channels.cols);
    std::vector<ImVec2> points;
    for (int p = 0; p < count; ++p)
        points.push_back(
            {band.x + band.w * (static_cast<float>(p) + 0.5F) / static_cast<float>(count),
             band.center().y - channels(channel, p) / reach * half});
    ui::Canvas(frame.ui).path(std::move(points), color, frame.px(1.5F));
}

// As much text as fits.
void table_caption(Frame& frame, const ui::Rect& rect, const PositionsView& view) {
    if (!frame.trace.image) {  // given words or other tokens
        const std::string token = capitals(name_and_place(frame, view.patch));
        return caption_that_fits(
            frame.ui, rect, {"TABLE OF POSITIONS PE · " + token, "POSITIONS PE · " + token, token});
    }
    const PositionQuestion& asked = view.said->question;
    if ((asked.fast_off > 0 || asked.slow_off > 0) &&
        is_of_waves(view.table->choice, *asked.trace->model))
        return caption_that_fits(frame.ui, rect,
                                 {"PE, WAVES LEFT OUT HERE ONLY, NOT IN THE MODEL",
                                  "PE, WAVES LEFT OUT HERE ONLY", "WAVES LEFT OUT HERE"});
    const bool turns = view.table->turns;
    const bool added = view.said->answer.present.has_value();
    const std::string table = !added  ? "PE, NOT ADDED"
                              : turns ? "SINES, COSINES"
                                      : "POSITIONS PE",
                      whole = turns || !added ? table : "TABLE OF POSITIONS PE",
                      place = " · " + capitals(name_and_place(frame, view.patch)),
                      name = fmt::format(" · TOKEN {}", token_of_patch(frame, view.patch));
    caption_that_fits(frame.ui, rect, {whole + place, table + place, table + name, table});
}

// Number of patches and channels per pixel of the table.
struct Density {
    int patches = 1, channels = 1;

    [[nodiscard]] bool means() const { return patches > 1 || channels > 1; }
};

Density density_of(const ui::Rect& rect, const gl::CellWindow& window) {
    const auto each = [](float cells, float pixels) {
        return std::max(1, static_cast<int>(std::ceil(cells / std::max(1.0F, pixels))));
    };
    return {each(window.rows, rect.h), each(window.cols, rect.w)};
}

std::string words_of_density(const Frame& frame, const Density& density) {
    const std::string patches = frame.trace.image ? "patches" : "tokens",
                      channels = counted(density.channels, "channel");
    if (density.patches == 1) return fmt::format("Each column shows the mean of {}.", channels);
    return fmt::format("Each pixel shows the mean of {} {} and {}.", density.patches, patches,
                       channels);
}

const SharedResult& means_of(const SharedResult& table, const Density& density, TableMeans& kept) {
    if (kept.version != table->version() || kept.rows_each != density.patches ||
        kept.cols_each != density.channels || !kept.found)
        kept = {table->version(), density.patches, density.channels,
                make_result(block_means(table->view(), density.patches, density.channels))};
    return kept.found;
}

// Below the matrix: its ends and shape, the meaning of a column, and the color bar.
void below_table(Frame& frame, ui::Layout rect, const PositionsView& view,
                 const ui::ColorScale& scale, const std::string& note) {
    ui::Canvas canvas(frame.ui);
    ui::Rect words = rect.row();
    const ui::TextStyle small = frame.small_dim();
    ui::TextStyle end = small, middle = small;
    end.align = ui::Align::right;
    middle.align = ui::Align::center;
    canvas.label(words, "0", small);
    const std::string last = fmt::format("channel {}", view.dim() - 1),
                      what = frame.trace.image ? "patch" : "token",
                      shape = fmt::format("{} × {}", counted(view.rows * view.cols, what),
                                          counted(view.dim(), "channel"));
    canvas.label(words, last, end);
    // Does not overlap the labels at the ends.
    const float ends = 2 * (canvas.measure(last, small) + frame.px(8));
    if (canvas.measure(shape, small) + ends <= words.w) canvas.label(words, shape, middle);
    if (!note.empty()) canvas.label(rect.row(), note, small);
    ui::color_line(frame.ui, rect.row(), scale);
}

// The exact values of the table under the pointer.
void point_at_table(Frame& frame, const PositionsView& view, const Density& density,
                    const ui::HeatmapHit& hit, float mean, PositionsMemory& memory) {
    const int row = hit.row * density.patches, col = hit.col * density.channels;
    focus_on_patch(frame, row);
    memory.next_hovered_channel = col;
    const MatrixView table = view.table->table->view();
    std::string words = fmt::format("PE[{}, {}] = {}", row, col, ui::number(table(row, col), 4));
    if (density.means()) {
        const int last_row = std::min(row + density.patches, static_cast<int>(table.rows)) - 1,
                  last_col = std::min(col + density.channels, static_cast<int>(table.cols)) - 1;
        words += fmt::format("\nMean of PE[{}…{}, {}…{}] = {}", row, last_row, col, last_col,
                             ui::number(mean, 4));
    }
    frame.ui.tooltip(words);
    if (!hit.clicked) return;
    set_once(frame, "position_channel", std::to_string(col));
    pin_patch(frame, row);
}

}  // namespace

void position_table_part(Frame& frame, ui::Layout rect, const PositionsView& view,
                         PositionsMemory& memory) {
    table_caption(frame, rect.row(0, 4), view);
    const SharedResult& table = view.table->table;
    const auto rows = static_cast<int>(table->view().rows),
               cols = static_cast<int>(table->view().cols);
    ui::HeatmapSpec spec;
    spec.name = "positions.table";
    gl::CellWindow& window = frame.ui.window(spec.name, rows, cols);
    Density density = density_of(rect, window);
    ui::Layout below = rect.bottom(frame.line() * (density.means() ? 3.0F : 2.0F));
    rect.skip_bottom(2);
    if (density.means()) density = density_of(rect, window);
    const std::string note = density.means() ? words_of_density(frame, density) : "";
    const PositionProperties& p = view.table->properties;
    spec.scale = signed_scale(frame, p.low, p.high);
    below_table(frame, below, view, spec.scale, note);
    Shown shown;
    shown.set_cells(density.means() ? means_of(table, density, memory.means) : table);
    spec.cells = shown.cells;
    const auto patches = static_cast<float>(density.patches),
               channels = static_cast<float>(density.channels);
    spec.window = {window.row / patches, window.col / channels, window.rows / patches,
                   window.cols / channels};
    spec.row = view.patch / density.patches;
    spec.col = view.channel / density.channels;
    const auto hit = ui::heatmap(frame.ui, rect, spec);
    if (density.means()) {  // otherwise it is the table itself
        if (auto& exported = frame.memory.own<Export>(); exported.wanted) {
            exported.whole[spec.cells.data] = {table->view().data, rows, cols, cols};
            exported.windows[spec.cells.data] = window;
        }
        frame.ui.name(spec.name, {rect, window});
    }
    frame.ui.report("positions.table.means",
                    fmt::format("{} {}", density.patches, density.channels));
    ui::zoom_and_pan(frame.ui, rect, window, rows, cols);
    if (hit.hovered)
        point_at_table(frame, view, density, hit, shown.view(hit.row, hit.col), memory);
}

void clock_hands(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const ui::Rect title = rect.row();
    if (view.table->turns)
        caption_that_fits(frame.ui, title, {"ROTATION OF QUERY AND KEY"});
    else
        caption_that_fits(frame.ui, title,
                          {"PAIRS OF CHANNELS AS CLOCK HANDS", "PAIRS OF CHANNELS AS HANDS",
                           "PAIRS OF CHANNELS", "PAIRS"});
    rect.skip_top(6);
    const auto pairs = channel_pairs(view.table->pairing, view.dim());
    const auto shown = spread(kClocks, static_cast<int>(pairs.size()));
    if (shown.empty()) return;
    frame.ui.name("positions.hands", {rect, {}});
    const float each = rect.w / static_cast<float>(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i)
        hand(frame, {rect.x + static_cast<float>(i) * each, rect.y, each, rect.h}, view,
             pairs[static_cast<std::size_t>(shown[i])]);
}

void waves(Frame& frame, ui::Layout rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {"CHANNELS ALONG THE POSITIONS", "CHANNELS ALONG POSITIONS", "CHANNELS"});
    const ui::TextStyle small{.face = ui::Face::mono, .size = ui::Size::small};
    const ui::Rect names =
        rect.right(canvas.measure(fmt::format("ch {}", view.dim()), small) + frame.px(8));
    std::vector<int> channels = spread(kWaves, view.dim());
    if (std::ranges::find(channels, view.channel) == channels.end() && !channels.empty())
        *std::ranges::min_element(channels, {}, [&](int c) { return std::abs(c - view.channel); }) =
            view.channel;
    const float each = rect.h / static_cast<float>(std::max<std::size_t>(1, channels.size()));
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const ui::Rect band{rect.x, rect.y + static_cast<float>(i) * each, rect.w, each};
        const bool chosen = channels[i] == view.channel;
        const ImU32 color = chosen ? frame.colors().accent : frame.colors().dim;
        wave(frame, band, view, channels[i], color);
        ui::TextStyle name = small;
        name.color = color;
        canvas.label({names.x + frame.px(6), band.y, names.w, band.h},
                     fmt::format("ch {}", channels[i]), name);
    }
    const auto count = static_cast<float>(view.rows * view.cols);
    const float x = rect.x + rect.w * (static_cast<float>(view.patch) + 0.5F) / count;
    canvas.line({x, rect.y}, {x, rect.y + rect.h}, frame.colors().accent, frame.px(2));

    // Dragging moves the position, and the hands turn.
    const auto mouse = ui::interact(frame.ui, "positions.waves", rect, ui::Stop::no);
    if (!mouse.hovered && !mouse.held) return;
    const float part = (ImGui::GetIO().MousePos.x - rect.x) / std::max(1.0F, rect.w);
    const int patch = std::clamp(static_cast<int>(part * count), 0, view.rows * view.cols - 1);
    focus_on_patch(frame, patch);
    if ((mouse.held || mouse.clicked) && pinned_patch(frame) != patch) pin_patch(frame, patch);
    if (mouse.released) frame.memory.gesture_ended = true;
}

}  // namespace headlight::screens

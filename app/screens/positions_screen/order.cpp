#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/prediction.h"
#include "frame/classes.h"
#include "frame/photo.h"
#include "positions_screen/view.h"

// The same patches in another order: what a transformer notices of it, and without positions does
// not.
namespace headlight::screens {

namespace {

// The picture with its patches where the order puts them.
void shuffled_picture(Frame& frame, const ui::Rect& rect, const std::vector<Index>& order) {
    const PatchGrid& grid = frame.trace.grid;
    const Image& image = *frame.trace.image;
    const float across = rect.w / static_cast<float>(image.width),
                down = rect.h / static_cast<float>(image.height);
    ui::Canvas canvas(frame.ui);
    for (int patch = 0; patch < grid.count(); ++patch) {
        const PixelRect to = grid.rect(patch);
        const PixelRect from = grid.rect(static_cast<int>(order[static_cast<std::size_t>(patch)]));
        // Whole pixels, or there are seams.
        const float x = std::round(rect.x + static_cast<float>(to.col) * across),
                    y = std::round(rect.y + static_cast<float>(to.row) * down);
        const ui::Rect place{
            x, y, std::round(rect.x + static_cast<float>(to.col + to.width) * across) - x,
            std::round(rect.y + static_cast<float>(to.row + to.height) * down) - y};
        // The whole picture, moved so that the patch lies in its place, seen through that place.
        const ui::Rect whole{place.x - static_cast<float>(from.col) * across,
                             place.y - static_cast<float>(from.row) * down, rect.w, rect.h};
        const auto clip = canvas.clip(place);
        canvas.photo(whole, photo(frame.trace.image, false));
    }
}

void effect_line(Frame& frame, ui::Rect& rect, const std::string& words, const OrderEffect& effect,
                 bool same) {
    ui::Canvas canvas(frame.ui);
    canvas.label(rect.cut_top(frame.line()), words, {});
    std::string found =
        fmt::format("sorted back, off by {:.2g} of {:.3g}", effect.difference, effect.largest);
    if (effect.answer && effect.answer != effect.answer_shuffled)
        found += " · " + class_name(*frame.trace.model, *effect.answer) + " → " +
                 class_name(*frame.trace.model, *effect.answer_shuffled);
    canvas.label(rect.cut_top(frame.line()), found,
                 {.face = ui::Face::mono,
                  .size = ui::Size::small,
                  .color = same ? frame.colors().ok : frame.colors().error});
    rect.cut_top(frame.px(6));
}

// adds: there are positions now.
void results(Frame& frame, ui::Rect rect, const ShuffleEffects& effects, bool adds) {
    // What rounding leaves of another order of summation.
    constexpr double kRounding = 1e-4;
    const auto is_same = [&](const OrderEffect& e) {
        return e.difference <= kRounding * e.largest;
    };
    const bool without = is_same(effects.without_positions), with = is_same(effects.with_positions);
    effect_line(frame, rect,
                without ? "no positions: the same output, shuffled"
                        : "no positions: another output, for a mask tells the order",
                effects.without_positions, without);
    frame.ui.report("positions.order.without", without ? "same" : "other");
    frame.ui.report("positions.order.with", with ? "same" : "other");
    if (!adds) return;
    effect_line(frame, rect,
                with ? "with its positions: the same output" : "with its positions: another output",
                effects.with_positions, with);
}

}  // namespace

void order_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    const int seed = frame.state.look.shuffle_seed;
    ui::Rect head = rect.cut_top(frame.line() * 1.4F);
    const std::string label = seed == 0 ? "Shuffle the patches" : "Another order";
    if (ui::button(frame.ui, "positions.shuffle", head.cut_right(ui::button_width(frame.ui, label)),
                   label))
        frame.set("shuffle_seed", std::to_string(seed % 9999 + 1));
    canvas.caption(head, "ORDER: THE SAME PATCHES, SHUFFLED");
    rect.cut_top(frame.px(6));
    if (seed == 0) {
        canvas.wrapped(rect,
                       "Attention knows no order: only positions tell where the patches were. "
                       "Shuffle them, and see what the model notices.",
                       {.color = frame.colors().dim});
        return;
    }
    const auto trace = frame.shared(frame.trace);
    memory.shuffler->ask({trace, frame.recipe, static_cast<std::uint64_t>(seed)});
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    // Beside what is found, or above it where the room is narrow.
    const bool above = rect.h > rect.w / 2;
    const float tall = above ? std::min(rect.h * 0.6F, (rect.w - frame.px(12)) / 2 / aspect)
                             : std::min(rect.h, rect.w * 0.25F / aspect);
    const ui::Rect one{rect.x, rect.y, tall * aspect, tall};
    canvas.photo(one, photo(frame.trace.image, false));
    const ui::Rect two{one.x + one.w + frame.px(12), one.y, one.w, one.h};
    const auto said = memory.shuffler->last();
    if (frame.trace.model->splits.empty())
        shuffled_picture(frame, two,
                         drawn_order(frame.trace.grid.count(), static_cast<std::uint64_t>(seed)));
    if (above)
        rect.cut_top(one.h + frame.px(16));
    else
        rect.cut_left(2 * one.w + frame.px(28));
    if (!said || said->question.trace != trace) return;
    if (said->error.empty())
        return results(frame, rect, said->answer,
                       view.said->answer.present.has_value() || view.bias != nullptr);
    canvas.wrapped(rect, said->error, {.color = frame.colors().dim});
}

}  // namespace headlight::screens

#include <fmt/format.h>

#include <algorithm>

#include "frame/lecture_head.h"
#include "heads/baseline.h"
#include "heads/curves_card.h"
#include "heads/hues.h"
#include "heads/patch_share.h"
#include "heads/patched.h"
#include "heads/view.h"
#include "ui/color_bar.h"

// The lecture view of Heads: the maps of all heads, and one of them large with its name and one
// value.
namespace headlight::screens {

namespace {

std::string title_of(const Frame& frame, const HeadsView& view) {
    if (shows_patched(frame))
        return frame.state.look.heads_patched == Patched::tokens
                   ? "How much one token from the baseline changes the answer"
                   : "How much one layer from the baseline changes the answer";
    std::string token = token_name(frame.trace.layout, view.token);
    if (view.together()) token = std::to_string(view.tokens.size()) + " tokens";
    const bool from = frame.state.look.reading == Reading::from;
    const std::string when = view.difference  ? "After − before: "
                             : frame.before() ? "Before: "
                                              : "";
    const std::string what =
        from ? "hat " + token + (view.together() ? " attend" : " attends") + " to in each head"
             : "hat attends to " + token + " in each head";
    return when.empty() ? "W" + what : when + "w" + what;
}

void large_map(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    if (view.difference) return large_difference(frame, rect, view);
    ui::Canvas canvas(frame.ui);
    const float line = frame.line(ui::Size::body);
    const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::body};
    ui::Layout caption = rect.top(line);
    const std::string whole = name_of_head(frame, view.shown);
    const std::string name = first_that_fits(
        canvas,
        {whole, whole.starts_with("Layer ") ? "L" + whole.substr(whole.find(' ') + 1) : whole,
         fmt::format("Head {}", view.shown.head + 1)},
        bold, caption.w);
    draw_share_words(frame, caption, canvas.measure(name, bold), view, view.shown);
    canvas.label(caption, name, bold);
    const auto tile = std::ranges::find(view.tiles, view.shown, &HeadTile::place);
    const std::string number = number_words(frame, view, *tile);
    canvas.wrapped(rect.bottom(canvas.measure_wrapped(number, {.size = bold.size}, rect.w).y),
                   number, {.size = bold.size});
    const ui::Rect bar = rect.bottom(line);
    const ui::Rect place = rect.inset(0, frame.px(6)).fit(aspect_of(*frame.trace.image));
    const ui::ColorScale scale =
        draw_map(frame, place, view, memory, view.shown, {.name = "heads.large", .asks = true});
    draw_shares(frame, place, view, view.shown);
    if (!view.together()) ui::color_line(frame.ui, bar, scale);
}

}  // namespace

void heads_lecture(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    lecture_head(frame, rect, title_of(frame, view));
    rect = rect.inset(frame.px(20), frame.px(8));
    // The maps take what they need, up to two thirds; the large one takes the rest. Beside a stop's
    // text, the large one takes more than half.
    const bool narrow = rect.w < rect.h;
    const float share = frame.beside <= 0 ? 0.66F : narrow ? 0.5F : 0.42F;
    const ui::Rect most{rect.x, rect.y, rect.w * share, rect.h};
    const float grid = heads_grid_width(frame, most, view);
    ui::Layout left = rect.left(std::clamp(grid, rect.w * 0.3F, most.w));
    frame.ui.name("heads.grid", {left, {}});
    if (shows_patched(frame)) {
        patched(frame, left, view);
    } else {
        baseline_line(frame, left, view);
        heads_grid(frame, left, view, memory);
    }
    rect.skip_left(20);
    if (is_spoken_of(frame, "heads.lens") && view.stream().lens.size() > 0)
        lens_card(frame, rect, view);
    else if (frame.state.look.heads_curves)
        curves_card(frame, rect, view);
    else
        large_map(frame, rect, view, memory);
}

}  // namespace headlight::screens

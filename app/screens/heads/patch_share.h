#pragma once

#include <optional>
#include <string>

#include "heads/view.h"

// A map shows the patches alone: how much of the row, or of the column, that is.
namespace headlight::screens {

std::optional<double> share_of(const HeadsView& view, const HeadPlace& place, std::size_t query);
std::optional<double> share_of(const HeadsView& view, const Combination& of, std::size_t query);

// "37 % on patches"; of a column "37 % from patches". "" where it is not known.
std::string share_words(const Frame& frame, std::optional<double> share);

// A thin bar along the lower edge of a map; of several queries one for each, in their hues. None
// where there are no tokens but patches.
template <class What>
void draw_shares(Frame& frame, const ui::Rect& map, const HeadsView& view, const What& what);
// The same number in the corner above it, where a small map has room.
void draw_share_number(Frame& frame, const ui::Rect& map, const HeadsView& view,
                       const HeadPlace& place);
// At the right end of a large map's caption, of which it takes its place; not where the caption, of
// that width, has no room beside it.
template <class What>
void draw_share_words(Frame& frame, ui::Rect& caption, float width, const HeadsView& view,
                      const What& what);

}  // namespace headlight::screens

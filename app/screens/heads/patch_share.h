#pragma once

#include <optional>
#include <string>

#include "heads/view.h"

// A map shows only patches; this is the fraction of the attention row or column on them.
namespace headlight::screens {

std::optional<double> share_of(const HeadsView& view, const HeadPlace& place, std::size_t query);
std::optional<double> share_of(const HeadsView& view, const Combination& of, std::size_t query);

// "37 % on patches"; for a column "37 % from patches"; "" if it is not known.
std::string share_words(const Frame& frame, std::optional<double> share);

// A thin bar along the lower edge of a map; for several queries one each, in their hues. None if
// all tokens are patches.
template <class What>
void draw_shares(Frame& frame, const ui::Rect& map, const HeadsView& view, const What& what);
// The same number in the corner above it, if a small map has space.
void draw_share_number(Frame& frame, const ui::Rect& map, const HeadsView& view,
                       const HeadPlace& place);
// At the right end of a large map's caption, whose width is given; left out if there is no space
// beside the caption.
template <class What>
void draw_share_words(Frame& frame, ui::Layout& caption, float width, const HeadsView& view,
                      const What& what);

}  // namespace headlight::screens

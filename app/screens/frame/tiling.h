#pragma once

#include <algorithm>
#include <limits>

#include "frame/frame.h"

namespace headlight::screens {

// A grid of pictures, each with its words.
struct Tiling {
    int across = 1, down = 1;
    float w = 0, h = 0;  // of the place for a picture and its words
    float tall = 0;      // of the picture
};

// The largest pictures of that aspect (width / height) that all fit, at most so many side by side,
// each with so many lines of words.
inline Tiling largest_tiles(const Frame& frame, const ui::Rect& rect, int count, float aspect,
                            float gap, int most = std::numeric_limits<int>::max(), int lines = 1) {
    Tiling best;
    for (int across = 1; across <= std::min(count, most); ++across) {
        const int down = (count + across - 1) / across;
        const auto cols = static_cast<float>(across), rows = static_cast<float>(down);
        const float w = (rect.w - gap * (cols - 1)) / cols, h = (rect.h - gap * (rows - 1)) / rows;
        const float tall = std::min(w / aspect, h - frame.line() * static_cast<float>(lines));
        if (tall > best.tall) best = {across, down, w, h, tall};
    }
    return best;
}

}  // namespace headlight::screens

#pragma once

#include <array>
#include <span>

#include "ui/color_scale.h"
#include "ui/pictures.h"
#include "ui/theme.h"

// Several maps in one picture: each cell has the hue of the map that is largest there; larger
// values are brighter.
namespace headlight::ui {

// Hues of queries, the same in both themes because they are drawn on photographs. They can be told
// apart by color-blind people, at full and at half brightness. The first also marks a single query.
inline constexpr std::array<ImU32, 6> kQueryHues{
    IM_COL32(0xFF, 0xC1, 0x45, 255), IM_COL32(0x2F, 0xBD, 0xFF, 255),
    IM_COL32(0xFF, 0x78, 0xA9, 255), IM_COL32(0x00, 0x71, 0x72, 255),
    IM_COL32(0x56, 0x4A, 0xFF, 255), IM_COL32(0xC6, 0x21, 0x11, 255)};

// rows × cols cells, row by row: the index of the hue, and the value. Index below 0: scale.nan.
PhotoPicture mosaic(int rows, int cols, std::span<const int> which, std::span<const float> values,
                    std::span<const ImU32> hues, const ColorScale& scale);

// The scale of its brightness, for a color bar.
ColorScale brightness_of(ColorScale scale);

}  // namespace headlight::ui

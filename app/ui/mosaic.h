#pragma once

#include <array>
#include <span>

#include "ui/color_scale.h"
#include "ui/pictures.h"
#include "ui/theme.h"

// Several maps in one picture: each cell in the hue of the map that is largest there, the brighter
// the larger it is.
namespace headlight::ui {

// Of queries. The same in both themes, for they lie on photographs, and apart also for the
// color-blind, full and at half their brightness; the first is what marks a query by itself.
inline constexpr std::array<ImU32, 6> kQueryHues{
    IM_COL32(0xFF, 0xC1, 0x45, 255), IM_COL32(0x2F, 0xBD, 0xFF, 255),
    IM_COL32(0xFF, 0x78, 0xA9, 255), IM_COL32(0x00, 0x71, 0x72, 255),
    IM_COL32(0x56, 0x4A, 0xFF, 255), IM_COL32(0xC6, 0x21, 0x11, 255)};

// rows × cols cells, row by row: which of the hues, and how large. Below 0: scale.nan.
PhotoPicture mosaic(int rows, int cols, std::span<const int> which, std::span<const float> values,
                    std::span<const ImU32> hues, const ColorScale& scale);

// The scale of its brightness, for a bar beside it.
ColorScale brightness_of(ColorScale scale);

}  // namespace headlight::ui

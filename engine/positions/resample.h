#pragma once

#include "kernels/matrix.h"
#include "kernels/names.h"

namespace headlight {

// How a learned table of positions is brought to another grid. Tables differ by more than rounding,
// so each family's own is used.
enum class Resampling {
    bicubic_offset,  // a = −0.75, step old / (new + 0.1): DINO, DINOv2 without registers, older
                     // Hugging Face
    bicubic,         // a = −0.75, step old / new: timm up to 0.6, newer Hugging Face
    bicubic_antialiased,   // a = −0.5, widened where it shrinks: timm from 0.9, DINOv2 with
                           // registers
    linear_corners,        // linear, the corners of both grids on each other: Google's JAX code
    bilinear_antialiased,  // linear, widened where it shrinks: SigLIP 2's NaFlex
    bicubic_corners,       // a = −0.75, the corners of both grids on each other: torchvision
};
template <>
inline constexpr auto kNames<Resampling> = std::to_array<std::string_view>(
    {"bicubic_offset", "bicubic", "bicubic_antialiased", "linear_corners", "bilinear_antialiased",
     "bicubic_corners"});

// A table of patches [rows·cols, D], row by row, brought to new_rows × new_cols. As it is where
// both extents agree. Computed as torch.nn.functional.interpolate does (align_corners as the kind
// says). Throws PositionError: an extent < 1, or a table of another size.
Matrix resample_positions(const MatrixView& table, int rows, int cols, int new_rows, int new_cols,
                          Resampling how);

}  // namespace headlight

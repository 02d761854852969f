#pragma once

#include "kernels/matrix.h"
#include "kernels/names.h"

namespace headlight {

// How a learned position embedding is resampled to another grid. The methods differ by more than
// rounding errors, so each family uses its own.
enum class Resampling {
    bicubic_offset,  // a = −0.75, step old / (new + 0.1): DINO, DINOv2 without registers, older
                     // Hugging Face
    bicubic,         // a = −0.75, step old / new: timm up to 0.6, newer Hugging Face
    bicubic_antialiased,   // a = −0.5, wider kernel when shrinking: timm from 0.9, DINOv2 with
                           // registers
    linear_corners,        // linear, with the corner centers of both grids aligned: Google's JAX
                           // code
    bilinear_antialiased,  // linear, wider kernel when shrinking: SigLIP 2's NaFlex
    bicubic_corners,  // a = −0.75, with the corner centers of both grids aligned: torchvision
};
template <>
inline constexpr auto kNames<Resampling> =
    std::to_array<std::string_view>({"bicubic_offset", "bicubic", "bicubic_antialiased",
                                     "linear_corners", "bilinear_antialiased", "bicubic_corners"});

// Resamples a table of patches [rows·cols, D], row by row, to new_rows × new_cols. Returns it
// unchanged if both extents agree. Computed as torch.nn.functional.interpolate does, with
// align_corners as the kind requires. Throws PositionError for an extent < 1, or a table of another
// size.
Matrix resample_positions(const MatrixView& table, int rows, int cols, int new_rows, int new_cols,
                          Resampling how);

}  // namespace headlight

#pragma once

#include "attention/layer.h"

// Attention by positive random features: "Rethinking Attention with Performers", arXiv 2009.14794,
// as in T2T-ViT's Token_performer.
namespace headlight {

// exp(w·x − ‖x‖²/2) / √M for every row x and each of the M rows w: x [rows, D], w [M, D], result
// [rows, M].
Matrix random_features(const MatrixView& x, const MatrixView& w, const StopFlag& stop = {});

// Divides each row by (its sum + eps).
Matrix row_shares(const MatrixView& x, float eps);

}  // namespace headlight

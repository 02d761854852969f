#pragma once

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/names.h"
#include "kernels/stop.h"

// Attention rollout: how much each token's final state goes back to each input token, if attention
// and skips alone carried information. Abnar and Zuidema, "Quantifying Attention Flow in
// Transformers", arXiv 2005.00928, section 3.
namespace headlight {

// How the heads of a layer become one map. The paper takes the mean; max and min are the other
// choices of the vit-explain program (github.com/jacobgil/vit-explain).
enum class HeadFusion { mean, max, min };
template <>
inline constexpr auto kNames<HeadFusion> = std::to_array<std::string_view>({"mean", "max", "min"});

enum class RolloutNormalisation {
    // As published: each row of (A + I) / 2 is divided by its own sum, so that it shares out 1.
    rows,
    // As vit-explain computes it: column j is divided by the sum of row j (its PyTorch line
    // `a / a.sum(dim=-1)` keeps no dimension, so the sums lie along the columns). The same where
    // all rows have the sum 1, as with mean and nothing discarded; else rows need not sum to 1.
    vit_explain,
};
template <>
inline constexpr auto kNames<RolloutNormalisation> =
    std::to_array<std::string_view>({"rows", "vit_explain"});

struct RolloutSettings {
    HeadFusion fusion = HeadFusion::mean;
    double discard_ratio = 0;  // of a fused map's cells, in [0, 1]; see discard_lowest
    RolloutNormalisation normalisation = RolloutNormalisation::rows;

    friend bool operator==(const RolloutSettings&, const RolloutSettings&) = default;
};

// The heads' maps [H·N, M] as one [N, M], cell by cell. NaN where any head has NaN.
// Throws AnalysisError where the rows cannot be divided among the heads.
Matrix fuse_heads(const MatrixView& attention, Index heads, HeadFusion fusion);

// Sets the int(cells · ratio) smallest cells of the whole map to 0; of equal ones, those that come
// first in reading order. As in vit-explain the cell (0, 0), which with a class token is the class
// token's attention to itself, keeps its value though it may be counted among the smallest. NaN is
// not small: it is never discarded. Throws AnalysisError unless 0 <= ratio <= 1.
void discard_lowest(Matrix& map, double ratio);

// Takes one layer after another, from the first to the last, so that no layer's maps need be kept:
//   A   the heads fused, then the lowest discarded
//   Â   (A + I) / 2, normalised: the I is the skip
//   R   Â_L ··· Â_2 · Â_1
// Row i of R says how the state of token i after the last layer shares out among the input tokens.
class Rollout {
  public:
    // Throws AnalysisError unless 0 <= discard_ratio <= 1.
    explicit Rollout(const RolloutSettings& settings);

    // attention [H·N, N] of one sample. Throws AnalysisError where a head's map is not square or
    // its tokens are not as many as in the layers before; Stopped when told to stop. Thrown or
    // not, result() holds whole layers only.
    void add(const MatrixView& attention, Index heads, const StopFlag& stop = {});

    [[nodiscard]] const Matrix& result() const { return result_; }  // [N, N]; empty without layers
    [[nodiscard]] Index layers() const { return layers_; }
    [[nodiscard]] const RolloutSettings& settings() const { return settings_; }

  private:
    RolloutSettings settings_;
    Matrix result_;
    Index layers_ = 0;
};

}  // namespace headlight

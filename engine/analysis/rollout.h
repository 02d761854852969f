#pragma once

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/names.h"
#include "kernels/stop.h"

// Attention rollout: how much each token's final state depends on each input token, if only
// attention and residual connections carried information. Abnar and Zuidema, "Quantifying Attention
// Flow in Transformers", arXiv 2005.00928, section 3.
namespace headlight {

// How the heads of a layer are combined into one map. The paper uses the mean; vit-explain
// (github.com/jacobgil/vit-explain) also offers max and min.
enum class HeadFusion { mean, max, min };
template <>
inline constexpr auto kNames<HeadFusion> = std::to_array<std::string_view>({"mean", "max", "min"});

enum class RolloutNormalisation {
    // As published: each row of (A + I) / 2 is divided by its sum, so that it sums to 1.
    rows,
    // As vit-explain computes it: column j is divided by the sum of row j. (Its PyTorch line `a /
    // a.sum(dim=-1)` does not keep the dimension, so the sums are broadcast along columns.) Equal
    // to `rows` if all row sums are 1, as with mean and nothing discarded; otherwise rows need not
    // sum to 1.
    vit_explain,
};
template <>
inline constexpr auto kNames<RolloutNormalisation> =
    std::to_array<std::string_view>({"rows", "vit_explain"});

struct RolloutSettings {
    HeadFusion fusion = HeadFusion::mean;
    double discard_ratio = 0;  // fraction of a fused map's cells, in [0, 1]; see discard_lowest
    RolloutNormalisation normalisation = RolloutNormalisation::rows;

    friend bool operator==(const RolloutSettings&, const RolloutSettings&) = default;
};

// Combines the heads' maps [H·N, M] cell by cell into [N, M]. NaN if any head has NaN. Throws
// AnalysisError if the rows cannot be divided among the heads.
Matrix fuse_heads(const MatrixView& attention, Index heads, HeadFusion fusion);

// Sets the int(cells · ratio) smallest cells of the map to 0; ties in reading order. As in
// vit-explain, cell (0, 0) keeps its value even if it is among the smallest; with a class token it
// is that token's attention to itself. NaN is never discarded. Throws AnalysisError unless 0 <=
// ratio <= 1.
void discard_lowest(Matrix& map, double ratio);

// Processes the layers one by one, from first to last, so that no layer's maps need to be stored:
//   A   the heads combined, then the lowest cells discarded
//   Â   (A + I) / 2, normalized; I is the residual connection
//   R   Â_L ··· Â_2 · Â_1
// Row i of R tells how the final state of token i depends on the input tokens.
class Rollout {
  public:
    // Throws AnalysisError unless 0 <= discard_ratio <= 1.
    explicit Rollout(const RolloutSettings& settings);

    // attention [H·N, N] of one sample. Throws AnalysisError if a head's map is not square or
    // differs in size from earlier layers, Stopped on a stop request. After an exception, result()
    // still holds whole layers only.
    void add(const MatrixView& attention, Index heads, const StopFlag& stop = {});

    [[nodiscard]] const Matrix& result() const { return result_; }  // [N, N]; empty at first
    [[nodiscard]] Index layers() const { return layers_; }
    [[nodiscard]] const RolloutSettings& settings() const { return settings_; }

  private:
    RolloutSettings settings_;
    Matrix result_;
    Index layers_ = 0;
};

}  // namespace headlight

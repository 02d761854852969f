#pragma once

#include <array>
#include <vector>

#include "analysis/head_numbers.h"
#include "scene/truth.h"

// What a head attends to in scenes of shapes, where the content of each patch is known.
namespace headlight {

// What a key is, relative to the query's shape.
enum class Kin {
    own,         // a patch of the same shape
    twin,        // a patch of the other shape of the pair
    other,       // a patch of a shape that is not in the pair
    background,  // a patch without a shape
    prefix,      // class token, distillation token or register
};
inline constexpr int kKins = 5;

struct KinShares : std::array<double, kKins> {
    double& operator[](Kin kin) { return at(static_cast<std::size_t>(kin)); }
    double operator[](Kin kin) const { return at(static_cast<std::size_t>(kin)); }
};

struct SceneHeadNumbers {
    // Attention of the patches of paired shapes, by kind of key, averaged over these patches. Sums
    // to 1.
    KinShares pair{};
    // The same for uniform attention to all tokens.
    KinShares by_area{};
    // Attention to one patch of the twin divided by attention to one patch of another shape, so
    // that size does not matter: the ratio of the means. NaN if no scene has other shapes.
    double twin_to_other = 0;

    // For the class token, averaged over scenes with a pair; `own` is one shape of the pair, `twin`
    // the other.
    KinShares class_token{};

    HeadNumbers numbers;  // averaged over all scenes
};

// Averages over the added scenes, for all heads of one layer. Equal scenes in equal order give
// equal bits.
class SceneHeads {
  public:
    // `attention` is one sample's self-attention [H·N, N] over a scene's picture; `truth` and
    // `twins` come from truth_of() and twins_of(), for the model's patches. Throws AnalysisError if
    // they do not fit together.
    void add(const MatrixView& attention, Index heads, const TokenLayout& layout,
             const PatchGrid& grid, const SceneTruth& truth, const std::vector<int>& twins);
    void add(const SceneHeads& other);

    [[nodiscard]] std::vector<SceneHeadNumbers> result() const;

  private:
    struct Sums {
        KinShares pair{}, class_token{};
        double per_twin_patch = 0, per_other_patch = 0;
        std::array<double, kHeadMeasures> numbers{};
    };
    std::vector<Sums> heads_;
    KinShares area_{};
    double readers_ = 0;            // number of patches of paired shapes
    double readers_of_others_ = 0;  // of these, the number in scenes with other shapes
    double scenes_ = 0, scenes_with_pair_ = 0;
};

}  // namespace headlight

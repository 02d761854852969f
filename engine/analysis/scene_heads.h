#pragma once

#include <array>
#include <vector>

#include "analysis/head_numbers.h"
#include "scene/truth.h"

// What a head reads in scenes of shapes, where it is known what lies under each patch.
namespace headlight {

// What a token that is read is to the one who reads it.
enum class Kin {
    own,         // a patch of the same shape
    twin,        // of the other shape of its kind
    other,       // of a shape that has no part in the pair
    background,  // of no shape
    prefix,      // class token, distillation token, a register
};
inline constexpr int kKins = 5;

struct KinShares : std::array<double, kKins> {
    double& operator[](Kin kin) { return at(static_cast<std::size_t>(kin)); }
    double operator[](Kin kin) const { return at(static_cast<std::size_t>(kin)); }
};

struct SceneHeadNumbers {
    // Shares of the attention of a paired shape's patches, mean over all of them; the sum is 1.
    KinShares pair{};
    // What they would be if every token were read alike.
    KinShares by_area{};
    // Attention to one patch of the twin by that to one patch of another shape, so that size does
    // not matter: the mean of the one by the mean of the other. NaN where no scene has others.
    double twin_to_other = 0;

    // Of the class token, mean over scenes with a pair; `own` is the one shape, `twin` the other.
    KinShares class_token{};

    HeadNumbers numbers;  // mean over all scenes
};

// Means over the scenes that were added, for all heads of one layer. Equal scenes in equal order
// give equal bits.
class SceneHeads {
  public:
    // `attention` is one sample's self-attention [H·N, N] over a scene's picture; `truth` and
    // `twins` are what truth_of() and twins_of() say of it, for the model's patches. Throws
    // AnalysisError where they do not fit together.
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
    double readers_ = 0;            // patches of paired shapes
    double readers_of_others_ = 0;  // of those, in scenes with other shapes
    double scenes_ = 0, scenes_with_pair_ = 0;
};

}  // namespace headlight

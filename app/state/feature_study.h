#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/foreground.h"
#include "analysis/similarity.h"
#include "kernels/names.h"
#include "patches/region.h"
#include "state/state.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// The features of each patch after every layer, computed in a background task from the residual
// stream that a trace keeps.
namespace headlight {

struct FeatureQuestion {
    std::shared_ptr<const Trace> trace;
    FeatureView view = FeatureView::pca;
    Index token = 0;  // for likeness: the token compared with; else 0
    // For matches, and for pca with colors shared by both pictures: the trace of the other picture
    // with the same model. Else null.
    std::shared_ptr<const Trace> other{};
    int layer = 0;                           // for matches: after which layer; else 0
    Region region{};                         // for pca: only its patches get colors; empty: all do
    std::optional<Foreground> foreground{};  // likewise, for pca without a region

    friend bool operator==(const FeatureQuestion&, const FeatureQuestion&) = default;
};

// The numbers after one layer, or after the final norm.
struct FeatureLayer {
    std::string name;
    int layer = 0;  // layer index; the number of layers for the final norm
    // One row per patch, in the order of the grid:
    // - pca: projections on the layer's first three principal components (analysis/principal.h), as
    //   `headlight pca --image ONE --layer N` writes them. With another picture, the components of
    //   both together, as for two images there. With a region or a foreground, those of its patches
    //   alone, and the other patches are NaN; all are if three or fewer are in the foreground
    // - norms: the length of its feature vector [patches, 1]
    // - answers: the probability of its most probable class [patches, 1] (logit lens of its token)
    // - likeness: the cosine of its feature with the token's [patches, 1]
    Matrix numbers;
    std::vector<Index> classes;  // for answers: the index of each class
    // For pca: the projections of the other picture's patches, NaN outside the foreground, and the
    // standard deviation of each component [1, 3] over the patches that determine it.
    Matrix others;
    Vector deviations;
};

struct FeaturesFound {
    std::vector<FeatureLayer> layers;
    std::vector<PatchPair> pairs;  // for matches: mutual nearest patches, most similar first
};
using FeatureFinder = Study<FeatureQuestion, FeaturesFound>;
extern const FeatureFinder kFeatures;

// The patches' features after that layer, or after the final norm, without prefix tokens. Empty
// where its tokens are not the patches of the trace's grid.
MatrixView features_after(const Trace& trace, int layer);

// Why this result has no features, in one sentence; "" if it has.
std::string why_no_features(const Trace& trace, FeatureView view);

}  // namespace headlight

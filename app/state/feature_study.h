#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/similarity.h"
#include "kernels/names.h"
#include "patches/region.h"
#include "state/state.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// What a model makes of each patch, layer by layer, computed beside the interface from the residual
// stream that a trace keeps.
namespace headlight {

struct FeatureQuestion {
    std::shared_ptr<const Trace> trace;
    FeatureView view = FeatureView::pca;
    Index token = 0;                       // of likeness: whose cosines; else 0
    // Of matches, and of pca where colors are for both: the other picture's, of the same model;
    // else null.
    std::shared_ptr<const Trace> other{};
    int layer = 0;    // of matches: after which; else 0
    Region region{};  // of pca: whose patches alone have colors; empty: all have

    friend bool operator==(const FeatureQuestion&, const FeatureQuestion&) = default;
};

// After one layer, or after the final norm.
struct FeatureLayer {
    std::string name;
    int layer = 0;  // index; the number of layers after the final norm
    // A row for each patch, in the order of the grid:
    // - pca: projections on the layer's own first three components (analysis/principal.h), as
    //   `headlight pca --image ONE --layer N` writes them; with another picture the components are
    //   those of both together, as of two images there; with a region those of its patches alone
    // - norms: the length of its feature [patches, 1]
    // - answers: the probability of its most probable class [patches, 1] (logit lens of its token)
    // - likeness: the cosine of its feature with the token's [patches, 1]
    Matrix numbers;
    std::vector<Index> classes;  // of answers: which class each is
    // Of pca: the same of the other picture's patches; and each component's deviation [1, 3] over
    // the patches that the components are of.
    Matrix others;
    Vector deviations;
};

struct FeaturesFound {
    std::vector<FeatureLayer> layers;
    std::vector<PatchPair> pairs;  // of matches: mutual nearest patches, those most alike first
};
using FeatureFinder = Study<FeatureQuestion, FeaturesFound>;
extern const FeatureFinder kFeatures;

// The patches' features after that layer, or after the final norm; empty where its tokens are not
// the patches of the trace's grid. Without tokens before the patches.
MatrixView features_after(const Trace& trace, int layer);

// Why there are none of this result, in one sentence; "" where there are.
std::string why_no_features(const Trace& trace, FeatureView view);

}  // namespace headlight

#pragma once

#include <memory>

#include "encoder/patching.h"
#include "state/all_heads.h"
#include "tasks/studies.h"

// Activation patching from the baseline: how the output changes if a token or a layer's output is
// taken from the baseline's run. Computed in a background task. (Heads: all_heads.h.)
namespace headlight {

struct StreamPatchQuestion {
    PatchQuestion of;

    // Another layer gives another trace, but the same question: the input of the first layer and
    // the changes determine the answer.
    friend bool operator==(const StreamPatchQuestion& a, const StreamPatchQuestion& b);
};

using TokenPatchFinder = Study<StreamPatchQuestion, TokenEffects>;
using LayerPatchFinder = Study<StreamPatchQuestion, LayerEffects>;

extern const TokenPatchFinder kTokenPatching;  // publishes partial answers
extern const LayerPatchFinder kLayerPatching;

}  // namespace headlight

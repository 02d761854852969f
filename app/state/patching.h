#pragma once

#include <memory>

#include "encoder/patching.h"
#include "state/all_heads.h"
#include "tasks/studies.h"

// What of an answer follows a token, or a layer, that is taken from the result that was kept;
// computed beside the interface. (Heads: all_heads.h.)
namespace headlight {

struct StreamPatchQuestion {
    PatchQuestion of;

    // A look at another layer is another trace, but no other question: what entered the first layer
    // and what was changed decide all that is asked for.
    friend bool operator==(const StreamPatchQuestion& a, const StreamPatchQuestion& b);
};

using TokenPatchFinder = Study<StreamPatchQuestion, TokenEffects>;
using LayerPatchFinder = Study<StreamPatchQuestion, LayerEffects>;

extern const TokenPatchFinder kTokenPatching;  // publishes what is known so far
extern const LayerPatchFinder kLayerPatching;

}  // namespace headlight

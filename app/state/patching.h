#pragma once

#include <memory>

#include "encoder/patching.h"
#include "lanes/gradual.h"
#include "state/all_heads.h"

// What of an answer follows a token, or a layer, that is taken from the result that was kept;
// computed beside the interface. (Heads: all_heads.h.)
namespace headlight {

struct StreamPatchQuestion {
    PatchQuestion of;

    // A look at another layer is another trace, but no other question: what entered the first layer
    // and what was changed decide all that is asked for.
    friend bool operator==(const StreamPatchQuestion& a, const StreamPatchQuestion& b);
};

using TokenPatchFinder = Gradual<StreamPatchQuestion, TokenEffects>;
using LayerPatchFinder = Newest<StreamPatchQuestion, LayerEffects>;

std::unique_ptr<TokenPatchFinder> make_token_patch_finder();
std::unique_ptr<LayerPatchFinder> make_layer_patch_finder();

}  // namespace headlight

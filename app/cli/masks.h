#pragma once

#include <memory>

#include "attention/layer.h"
#include "cli/front.h"

namespace headlight::cli {

// The masks in --input combined into one; null if there are none. mask [N, M] or [B, N, M] and
// key_padding_mask [B, M] of type BOOL or U8 block where they are true. Floating point masks are
// added to the scores, as in PyTorch: [N, M] or [B·H, N, M], sample by sample, and [B, M]. Throws
// WorkError for another shape or type, or NaN or +inf in a floating point mask.
std::shared_ptr<const Mask> joined_mask(const Source& source, const AttentionShape& shape);

}  // namespace headlight::cli

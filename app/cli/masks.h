#pragma once

#include <memory>

#include "attention/layer.h"
#include "cli/front.h"

namespace headlight::cli {

// What --input says about who may read whom, as one mask; null where they say
// nothing. mask and key_padding_mask of the input file block where they are true, if they are BOOL
// or U8: [N, M] or [B, N, M], and [B, M]. Floating point numbers are added to the scores, as
// PyTorch does: [N, M] or [B·H, N, M], sample by sample, and [B, M]. Throws WorkError: another
// shape, another type, numbers to be added that are NaN or +inf.
std::shared_ptr<const Mask> joined_mask(const Source& source, const AttentionShape& shape);

}  // namespace headlight::cli

#pragma once

#include "trace/trace.h"

namespace headlight {

// The token of `to` that stands for what `token` of `from` does: a patch where that one lies in the
// picture, a class token for a class token. Without the like of it, the patch in the middle.
int token_at_same_place(const Trace& from, const Trace& to, int token);

}  // namespace headlight

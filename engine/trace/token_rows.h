#pragma once

#include "trace/trace.h"

namespace headlight {

// False where T2T's token transformer is looked at and `tensor` follows the last layer: then the
// tokens that it is made of are others, laid out otherwise.
bool shares_tokens(const Trace& trace, Tensor tensor);

// token_of_row and row_of_token (trace.h) for one tensor: also −1 where its rows are other tokens.
Index token_of_row(const Trace& trace, Tensor tensor, Index row);
Index row_of_token(const Trace& trace, Tensor tensor, Index token);

}  // namespace headlight

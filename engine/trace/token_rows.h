#pragma once

#include <string>

#include "trace/trace.h"

namespace headlight {

// False where `tensor` is made of other tokens than the layer that is looked at, laid out
// otherwise: behind the last layer where T2T's token transformer or an early stage of Swin is
// looked at, and before the first where a later stage is.
bool shares_tokens(const Trace& trace, Tensor tensor);

// Which tokens: those that ask, or those that are read. They are the same ones, and count as those
// that ask, except in cross-attention.
enum class Side { query, key };
Side side_of(const Trace& trace, Tensor tensor);  // that its rows stand for
Side side_of_patches(const Trace& trace);

// token_of_row and row_of_token (trace.h) for one tensor: also −1 where its rows are other tokens.
// Of cross-attention each side's tokens are counted by themselves.
Index token_of_row(const Trace& trace, Tensor tensor, Index row);
Index row_of_token(const Trace& trace, Tensor tensor, Index token);

// For people: as token_name(), and "query 3" for a query of cross-attention.
std::string name_of_token(const Trace& trace, Side side, Index token);

}  // namespace headlight

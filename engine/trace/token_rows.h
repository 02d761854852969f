#pragma once

#include <string>

#include "trace/trace.h"

namespace headlight {

// False if the rows of `tensor` are not the tokens of the selected layer. This happens after the
// last layer when the selected layer belongs to T2T's token transformer or to an early stage of
// Swin. It also happens before the first layer when a later stage is selected.
bool shares_tokens(const Trace& trace, Tensor tensor);

// Query tokens or key tokens. Except in cross-attention these are the same tokens, and count as
// `query`.
enum class Side { query, key };
Side side_of(const Trace& trace, Tensor tensor);  // the side that the rows of `tensor` belong to
Side side_of_patches(const Trace& trace);

// As token_of_row and row_of_token (trace.h), for one tensor. Also −1 if its rows are not tokens of
// the selected layer. In cross-attention, queries and keys are numbered separately.
Index token_of_row(const Trace& trace, Tensor tensor, Index row);
Index row_of_token(const Trace& trace, Tensor tensor, Index token);

// For people: as token_name(), or "query 3" for a query of cross-attention.
std::string name_of_token(const Trace& trace, Side side, Index token);

}  // namespace headlight

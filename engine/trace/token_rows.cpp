#include "trace/token_rows.h"

namespace headlight {

bool shares_tokens(const Trace& trace, Tensor tensor) {
    const bool early = trace.model && trace.block < trace.model->token_transformers();
    return !early || tensor < Tensor::encoded;
}

Index token_of_row(const Trace& trace, Tensor tensor, Index row) {
    return shares_tokens(trace, tensor) ? token_of_row(trace, info(tensor).rows, row) : -1;
}

Index row_of_token(const Trace& trace, Tensor tensor, Index token) {
    return shares_tokens(trace, tensor) ? row_of_token(trace, info(tensor).rows, token) : -1;
}

}  // namespace headlight

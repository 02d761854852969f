#pragma once

#include <string>

#include "model/builder.h"

// A token transformer of T2T-ViT ("Tokens-to-Token ViT", arXiv 2101.11986, section 3.1) in the
// names of three codes: norm1, attention with one head, norm2, MLP. The skip connection adds the
// value.
namespace headlight {

enum class TokenTransformer {
    softmax,    // attn.qkv, attn.proj, mlp.fc1, mlp.fc2; scale from the width of its input
    performer,  // kqv, proj, mlp.0, mlp.2 and random rows w
    lanl,       // attn.qkv, attn.proj, neuralnet.fc1, neuralnet.fc2; scale from the head's width
};

// The kind that the names at the reader's prefix belong to; nothing if they do not fit.
std::optional<TokenTransformer> token_transformer_named(const TensorReader& reader);

// Names of lanl's layers: LayerNames with the MLP of TokenTransformer::lanl.
LayerNames lanl_names();

// `inputs`: width of its input tokens; its channels are those of norm2. Throws CheckpointError.
Layer read_token_transformer(const ModelBuilder& builder, TensorReader& reader,
                             TokenTransformer kind, Index inputs);

}  // namespace headlight

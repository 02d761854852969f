#pragma once

#include <string>

#include "model/builder.h"

// A token transformer of T2T-ViT ("Tokens-to-Token ViT", arXiv 2101.11986, section 3.1) as three
// codes name it: norm1, attention with one head, norm2, MLP; the skip comes from the value.
namespace headlight {

enum class TokenTransformer {
    softmax,    // attn.qkv, attn.proj, mlp.fc1, mlp.fc2; scaled by the width of its input
    performer,  // kqv, proj, mlp.0, mlp.2 and random rows w
    lanl,       // attn.qkv, attn.proj, neuralnet.fc1, neuralnet.fc2; scaled by the head's width
};

// Which of them the names are that the reader stands at; nothing where they are none.
std::optional<TokenTransformer> token_transformer_named(const TensorReader& reader);

// Names of lanl's layers: LayerNames with the MLP of TokenTransformer::lanl.
LayerNames lanl_names();

// From tokens `inputs` wide, to as many channels as norm2 has. Throws CheckpointError.
Layer read_token_transformer(const ModelBuilder& builder, TensorReader& reader,
                             TokenTransformer kind, Index inputs);

}  // namespace headlight

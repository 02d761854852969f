#pragma once

#include <string>
#include <vector>

#include "files/tensor_reader.h"
#include "kernels/matrix.h"

// Modules of a file outside the encoder, whose results the encoder does not use: a second head, a
// projector, a decoder.
namespace headlight {

struct SidePart {
    std::string root;                // full name: "model.aux_head"
    std::vector<std::string> names;  // full names of its tensors, sorted
};

// The side parts among `names`, full names that were not read yet. `at` is at the start of the
// encoder's names; `width` is that of its tokens. A module is a side part by the words of its name
// ("aux_head", "projector", "fc1"). It is also one by its shapes, if it has a linear layer that
// takes tokens and none that returns them. Never side parts are modules whose names contain parts
// of an encoder (embeddings, tokens, norms, adapters, blocks), and parameters outside a module.
std::vector<SidePart> side_parts(const TensorReader& at, const std::vector<std::string>& names,
                                 Index width);

// True if its name is one of self-supervised training: "projector", "predictor".
bool is_of_self_supervision(const SidePart& part);

// True if, by the sizes, a head with these inputs and outputs may come before or after the part.
bool may_be_chained(const TensorReader& file, const SidePart& part, Index inputs, Index outputs);

// "aux_head (2 tensors), projector (4 tensors)"
std::string text_of(const std::vector<SidePart>& parts);

// True if a component of a name contains words for an encoder's own part.
bool names_encoder_part(const std::string& component);

}  // namespace headlight

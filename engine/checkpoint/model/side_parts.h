#pragma once

#include <string>
#include <vector>

#include "files/tensor_reader.h"
#include "kernels/matrix.h"

// Modules of a file that are not part of the encoder, and whose results it does not read: a second
// head, a projector, a decoder.
namespace headlight {

struct SidePart {
    std::string root;                // whole: "model.aux_head"
    std::vector<std::string> names;  // whole names of its tensors, sorted
};

// The side parts among `names`, which are whole names that nothing has read yet; `at` stands where
// the encoder's names begin, and `width` is that of its tokens. A module is one by the words of its
// name ("aux_head", "projector", "fc1") or by its shapes: it has a linear layer that reads tokens
// and none that gives them. Names that speak of the encoder's own parts (embeddings, tokens, norms,
// adapters, blocks) are never side parts, and neither are parameters outside a module.
std::vector<SidePart> side_parts(const TensorReader& at, const std::vector<std::string>& names,
                                 Index width);

// Whether it is a part of self-supervised training, by its name: "projector", "predictor".
bool is_of_self_supervision(const SidePart& part);

// Whether a head that reads `inputs` numbers and gives `outputs` may read what the part gives, or
// give what the part reads, by their numbers.
bool may_be_chained(const TensorReader& file, const SidePart& part, Index inputs, Index outputs);

// "aux_head (2 tensors), projector (4 tensors)"
std::string text_of(const std::vector<SidePart>& parts);

// Whether the words of a component of a name are those of an encoder's own part.
bool names_encoder_part(const std::string& component);

}  // namespace headlight

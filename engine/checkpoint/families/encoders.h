#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/tensor_reader.h"

// Which encoder of a file that holds several: a student and its teacher, a model and its moving
// average, two modalities.
namespace headlight {

struct EncoderChoice {
    std::vector<std::string> names;     // as --part takes them, in order; one or none: no choice
    std::vector<std::string> prefixes;  // of their tensors' names
    std::size_t chosen = 0;
    std::string reason;         // for people; empty: there was no choice
    bool is_arbitrary = false;  // no rule prefers one
};

// `asked` is what --part says: a name of the list, the whole prefix, or whole components of it.
// Throws CheckpointError where it fits none of them or several.
EncoderChoice choose_encoder(const TensorReader& file, const std::optional<std::string>& asked);

// Hides the tensors of the encoders that are not chosen from every search for names.
void show_chosen(TensorReader& file, const EncoderChoice& choice);

}  // namespace headlight

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/tensor_reader.h"

// Chooses an encoder in a file with several: a student and its teacher, a model and its moving
// average, or two modalities.
namespace headlight {

struct EncoderChoice {
    std::vector<std::string> names;     // as --part takes them, in order; one or none: no choice
    std::vector<std::string> prefixes;  // of their tensors' names
    std::size_t chosen = 0;
    std::string reason;         // for people; empty: there was no choice
    bool is_arbitrary = false;  // chosen without a rule that prefers it
};

// `asked` is the value of --part: a listed name, a whole prefix, or whole components of one. Throws
// CheckpointError if it fits none or several.
EncoderChoice choose_encoder(const TensorReader& file, const std::optional<std::string>& asked);

// Hides the tensors of the other encoders from every search for names.
void show_chosen(TensorReader& file, const EncoderChoice& choice);

}  // namespace headlight

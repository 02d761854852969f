#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/builder.h"

// Classification heads, the family's own and those that fine-tuning replaces them with.
namespace headlight {

// The name of the head in a family's own code: inside the model ("head"), or in the enclosing
// module ("classifier" in Hugging Face's).
struct OwnHead {
    std::string_view name;
    bool is_outside = false;
};

// True if the model or an enclosing module has a classification head or another module that takes
// its tokens, supported or not. Projections of self-supervised training do not count. `width`: of
// one token.
bool has_classification_head(const TensorReader& at, Index width);

// Call after the encoder, its pooling and its own norms are read. Finds the head among the
// remaining tensors, inside the model ("head", "heads.0", "fc", "classifier.1", ...) and next to it
// ("fc" next to "backbone.*"). Supported heads are
//   Linear; LayerNorm, Linear; Linear, activation, Linear; with LayerNorm before these.
// Batch norms next to a linear layer become part of it. Modules without tensors (dropout) may be in
// between. Assumptions that no tensor confirms are recorded as facts. Any other head is left out
// (ModelBuilder::leave_head_out). `width`: of one token; the head may also take the class token and
// the patches' mean side by side. Returns the prefix before the head's name; nothing if no head was
// read.
std::optional<std::string> read_classifier(ModelBuilder& builder, const OwnHead& own, Index width);

// Leaves out any head that exists.
void leave_classifier_out(ModelBuilder& builder, const std::string& reason);

}  // namespace headlight

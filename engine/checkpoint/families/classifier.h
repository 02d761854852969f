#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/builder.h"

// Classification heads, the family's own and those that fine-tuning puts in their place.
namespace headlight {

// Where a family's own code keeps its head: a name of the model itself ("head"), or of what stands
// around it ("classifier" of Hugging Face's).
struct OwnHead {
    std::string_view name;
    bool is_outside = false;
};

// Whether the model or what stands around it has a classification head or another module that reads
// its tokens, readable or not. Projections of self-supervised training are none. `width`: of one
// token.
bool has_classification_head(const TensorReader& at, Index width);

// Once the encoder, its pooling and its own norms are read: finds the head among the tensors that
// are left over, in the model ("head", "heads.0", "fc", "classifier.1", ...) and around it
// ("backbone.*" beside "fc"), and takes
//   Linear; LayerNorm, Linear; Linear, activation, Linear; with LayerNorm before these;
// batch norms beside a product become part of it. Modules without tensors (dropout) may stand
// between. What follows from no tensor is said as a fact, with its assumption. Any other head is
// left out (ModelBuilder::leave_head_out). `width`: of one token; the head may read the class token
// and the patches' mean side by side, too. Returns the prefix before the head's name; nothing: no
// head was read.
std::optional<std::string> read_classifier(ModelBuilder& builder, const OwnHead& own, Index width);

// Leaves out whatever head there is.
void leave_classifier_out(ModelBuilder& builder, const std::string& reason);

}  // namespace headlight

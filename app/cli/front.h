#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "encoder/runner.h"
#include "files/safetensors.h"

// The part of a trace before the first layer.
namespace headlight::cli {

// The inputs of a trace.
struct Source {
    std::shared_ptr<const Model> model;
    Recipe asked;            // settings; unset ones come from the model
    std::string image;       // image file, or empty
    std::string input_path;  // file with input tensors, or empty
    TensorMap input;         // not empty if there is such a file
    PatchGrid grid;          // of the tokens, if they are cells of a map
};

// A trace up to its patches, from an image or from pixels; for attention-only import up to its
// picture, if there is one. Throws WorkError, and errors of the image, patches and encoder folders,
// if image, model and settings do not fit together.
Trace trace_of_patches(const Source& source);

// A trace up to the tensor `to`, whose rows [B·N, D] are given. Without a known grid, the patches
// form one row.
Trace trace_of_rows(const Source& source, Index batch, Matrix rows, Tensor to);

// The start of a run of all layers: patches or tokens, with the nodes that computed them. Throws as
// trace_of_patches() does.
Beginning beginning_of(const Source& source);

// If attention maps fit the picture in several ways, prints one line: which way was chosen, and how
// to choose another.
void say_layout(const Trace& front, std::ostream& out);

}  // namespace headlight::cli

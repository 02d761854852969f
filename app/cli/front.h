#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "encoder/runner.h"
#include "files/safetensors.h"

// What leads to the first layer.
namespace headlight::cli {

// What a trace is computed from.
struct Source {
    std::shared_ptr<const Model> model;
    Recipe asked;            // what is not set is left to the model
    std::string image;       // file of a picture, or empty
    std::string input_path;  // file of the tensors, or empty
    TensorMap input;         // not empty where there is such a file
    PatchGrid grid;          // of its tokens, where they are a map's cells
};

// A trace that has come as far as its patches, from a picture or from pixels; of attention-only
// import as far as its picture, if there is one. Throws WorkError, and the errors of the image,
// patches and encoder folders, where picture, model and what was asked do not fit together.
Trace trace_of_patches(const Source& source);

// A trace that has come as far as the tensor `to`, which is given: [B·N, D]. Where nothing says how
// its patches lie, they are one row.
Trace trace_of_rows(const Source& source, Index batch, Matrix rows, Tensor to);

// What a run of all layers begins with: patches or tokens, with the nodes that made them. Throws as
// trace_of_patches() does.
Beginning beginning_of(const Source& source);

// One line where attention maps fit the picture in several ways: which was chosen, and how to choose
// another.
void say_layout(const Trace& front, std::ostream& out);

}  // namespace headlight::cli

#pragma once

#include <memory>
#include <string>

#include "cli/attention_option.h"
#include "files/safetensors.h"
#include "trace/trace.h"

// What leads to the first layer.
namespace headlight::cli {

// What a trace is computed from.
struct Source {
    std::shared_ptr<const Model> model;
    AttentionOption asked;
    std::string image;       // file of a picture, or empty
    std::string input_path;  // file of the tensors, or empty
    TensorMap input;         // not empty where there is such a file
};

// A trace that has come as far as its patches, from a picture or from pixels; of attention-only
// import as far as its picture, if there is one. Throws WorkError, and the errors of the image,
// patches and encoder folders, where picture, model and what was asked do not fit together.
Trace trace_of_patches(const Source& source);

// The positions that are added where nobody asks for others: a bare layer's file adds none.
PositionKind positions_of(const Source& source);

}  // namespace headlight::cli

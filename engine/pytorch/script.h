#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "files/safetensors.h"
#include "files/tensor_file.h"
#include "kernels/result.h"
#include "program/program.h"
#include "trace/trace.h"

// A walk as a Python script: the PyTorch lines of its steps in order, with definitions of all their
// names. The script compares every result with Headlight's.
namespace headlight {

// ∂y/∂x for the results x of a script, to be compared with those of PyTorch's autograd.
struct ScriptGradients {
    Tensor of = Tensor::logits;  // the result that y is computed from,
    std::string y;               // by this Python expression: "[:, 207].sum()"
    SharedResult cosine_with;    // [1, D]: y is the cosine with this row; null: y is the expression
    std::string about;           // "the logit of class 207"
    // Traces with each tensor replaced by its gradient (with_gradients()), for the steps before the
    // layers, of the layer written out, and after the layers.
    Trace front, layer, end;
    std::map<int, SharedResult> outputs;  // of the other layers, by block
    // ∂y/∂(normalized pixels) [B, C, H, W]; empty if tokens were given.
    std::vector<float> pixels;
    std::vector<std::int64_t> pixels_shape;
};

// The inputs of a script.
struct ScriptSource {
    const Trace& walk;             // its nodes: the picture's, one layer's, and those after the
                                   // last layer
    const Counterfactual& change;  // changes applied to all its layers
    // The model's weights under their own names, in a file at the path that the script will open;
    // null: the weights were drawn.
    const TensorFile* checkpoint = nullptr;
    // Normalized pixels [B, C, H, W], if they were given instead of a picture.
    const NamedTensor* pixels = nullptr;
    // Null: the script compares no gradients.
    const ScriptGradients* gradients = nullptr;
};

struct PythonScript {
    std::string text;
    // Tensors for NAME.safetensors next to NAME.py: the inputs of the walk, weights that the
    // checkpoint does not contain in that form, and every result. They refer to memory of the walk
    // and of `kept`.
    std::vector<TensorToWrite> tensors;
    std::vector<SharedResult> kept;
};

// Throws RecipeError for attention maps, which are not computed.
void expect_to_compute(const Model& model);

// Writes out the layer that the walk stores, with all its results; for other layers, only their
// output. Throws CheckpointError if the file cannot be read, and as expect_to_compute.
PythonScript python_script(const ScriptSource& source);

// Writes both files; `path` ends in .py. Throws CheckpointError if they cannot be written.
void write_script(const std::string& path, const PythonScript& script);

// One of a trace's matrices, in the form for files.
TensorToWrite tensor_to_write(const Trace& trace, Tensor tensor, std::string name);

}  // namespace headlight

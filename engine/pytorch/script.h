#pragma once

#include <string>
#include <vector>

#include "files/safetensors.h"
#include "files/tensor_file.h"
#include "kernels/result.h"
#include "program/program.h"
#include "trace/trace.h"

// A walk as a Python script: the lines of PyTorch that stand beside its steps, one after the other,
// with what each name in them is, and every number held against the one that was computed here.
namespace headlight {

// What a script is made of.
struct ScriptSource {
    const Trace& walk;             // its nodes: the picture's, one layer's, and those of the end
    const Counterfactual& change;  // what all its layers were computed with
    // The model's weights under their own names, in a file named as the script shall open it; null:
    // they were drawn.
    const TensorFile* checkpoint = nullptr;
    // Normalised pixels [B, C, H, W], where they were given instead of a picture.
    const NamedTensor* pixels = nullptr;
};

struct PythonScript {
    std::string text;
    // What must lie beside the script, in NAME.safetensors for NAME.py: what enters the walk,
    // weights that the checkpoint has not as they are, and every result. Rows of the walk's memory,
    // and of `kept`.
    std::vector<TensorToWrite> tensors;
    std::vector<SharedResult> kept;
};

// Throws RecipeError for maps, of which nothing is computed.
void expect_to_compute(const Model& model);

// The layer that the walk keeps is written out with all its results; of the others there is their
// output. Throws CheckpointError where the file cannot be read; what expect_to_compute throws.
PythonScript python_script(const ScriptSource& source);

// Both files; `path` ends in .py. Throws CheckpointError where they cannot be written.
void write_script(const std::string& path, const PythonScript& script);

// One of a trace's matrices as a file has it.
TensorToWrite tensor_to_write(const Trace& trace, Tensor tensor, std::string name);

}  // namespace headlight

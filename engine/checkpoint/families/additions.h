#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/tensor_file.h"
#include "model/decisions.h"
#include "model/model.h"

// Small trained additions to a model with frozen weights, as peft, kohya's scripts and others store
// them next to the weights.
namespace headlight {

struct Merged {
    TensorFile file;
    std::vector<ModelFact> facts;
    std::vector<std::string> warnings;  // assumptions, one sentence each
    std::vector<std::string> changed;   // tensors that an adapter next to the file added or changed
};

// Merges a file's additions into its weights: LoRA, rsLoRA and DoRA ("DoRA", arXiv 2402.09353), IA³
// (arXiv 2205.05638) and peft's modules_to_save. Names lose "base_layer.". The tensors of an
// adapter_model.safetensors next to the file are merged too, into the encoder `part` if several
// fit. A file without additions is returned unchanged. Throws CheckpointError for additions that do
// not fit the weights, and for unsupported settings.
Merged merge_additions(TensorFile file, const FileReader& read, const Decisions& decisions,
                       const std::optional<std::string>& part, const StopFlag& stop);

// Additions that remain in the file. `kind` is for people: "LoRA". They are recognized by a
// component of the name.
struct Addition {
    std::string tensor, kind;
};
std::vector<Addition> additions_in(const TensorFile& file);

}  // namespace headlight

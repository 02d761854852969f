#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/tensor_file.h"
#include "model/decisions.h"
#include "model/model.h"

// Small trained additions to a model whose own weights stay as they were, as peft, kohya's scripts
// and others store them beside these.
namespace headlight {

struct Merged {
    TensorFile file;
    std::vector<ModelFact> facts;
    std::vector<std::string> warnings;  // what was assumed, each a sentence
    std::vector<std::string> changed;   // tensors that an adapter beside the file added or changed
};

// The file with its additions in the weights: LoRA, rsLoRA and DoRA ("DoRA", arXiv 2402.09353),
// IA³ (arXiv 2205.05638) and peft's modules_to_save. Names lose "base_layer." With
// adapter_model.safetensors beside the file, its tensors are merged as well, into the encoder
// `part` where they fit several. Without additions it is the file as it was. Throws CheckpointError
// for those that do not fit the weights, and for settings of theirs that are not followed.
Merged merge_additions(TensorFile file, const FileReader& read, const Decisions& decisions,
                       const std::optional<std::string>& part, const StopFlag& stop);

// What is left of additions in the file, for people: "LoRA"; nothing: none. A name belongs to them
// by one of its components.
struct Addition {
    std::string tensor, kind;
};
std::vector<Addition> additions_in(const TensorFile& file);

}  // namespace headlight

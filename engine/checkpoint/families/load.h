#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/file.h"
#include "kernels/stop.h"
#include "model/config.h"
#include "model/model.h"

namespace headlight {

// The supported models, for lists: whose names they have, "Hugging Face", and which models.
struct KnownModels {
    std::string whose, models;
    bool whole;  // false: layers or maps
};
std::vector<KnownModels> known_models();
// "timm, DINO, … or T2T-ViT"
std::string names_of_models();

// Reads a model of any naming family (families.h), recognized by the names and shapes of its
// tensors. Anything else comes from these sources, weakest first: the family's convention;
// config.json, open_clip_config.json, preprocessor_config.json and adapter_config.json next to
// `path`, if `read` finds them; `given` (--config); `options`. model.facts records the origin.
//
// A config next to the file that contradicts its tensors describes another model. It is left out
// completely, with a note in model.warnings. Additions such as LoRA are merged into the weights.
// Weights stay in the file's memory if the layout fits, and unused parts of a file on disk are not
// read.
//
// Throws CheckpointError, with the tensor or the key, for another kind of model, an unsupported
// computation, a missing tensor or one of another shape, and a value out of range. It also throws
// for a `given` config of another model, layers missing from an index of shards, and an unknown
// encoder in options.part. Throws the exceptions of `read`, except FileMissing for configs;
// Stopped.
std::shared_ptr<const Model> load_model(const std::string& path, const FileReader& read,
                                        const ModelOptions& options = {},
                                        const std::optional<ModelConfig>& given = {},
                                        const StopFlag& stop = {});

}  // namespace headlight

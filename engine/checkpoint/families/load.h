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

// The models that are read, for lists: whose names they are, "Hugging Face", and which models.
struct KnownModels {
    std::string whose, models;
    bool whole;  // false: layers or maps
};
std::vector<KnownModels> known_models();
// "timm, DINO, … or T2T-ViT"
std::string names_of_models();

// Reads a model of any naming family (families.h), which the names and shapes of its tensors tell.
// What they cannot tell is taken from, the later the stronger: the family's convention;
// config.json, open_clip_config.json, preprocessor_config.json and adapter_config.json beside
// `path`, where `read` finds them; `given` (--config); `options`. model.facts says which it was. A
// config beside the file that contradicts its tensors describes another model: it is left aside as
// a whole, and model.warnings says so. Additions such as LoRA are merged into the weights. Weights
// stay in the file's memory wherever they lie there as the engine needs them; what is not needed of
// a file on the disk is not read. Throws CheckpointError, naming the tensor or the key: another
// kind of model, one that computes with what Headlight has not, a tensor missing or of another
// shape, a value out of range, a `given` config of another model, layers that an index of shards
// leaves out, an encoder that options.part does not name. Further what `read` throws, except
// FileMissing for the configs; Stopped.
std::shared_ptr<const Model> load_model(const std::string& path, const FileReader& read,
                                        const ModelOptions& options = {},
                                        const std::optional<ModelConfig>& given = {},
                                        const StopFlag& stop = {});

}  // namespace headlight

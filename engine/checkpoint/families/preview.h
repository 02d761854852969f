#pragma once

#include <memory>
#include <string>

#include "files/file.h"
#include "kernels/stop.h"
#include "model/model.h"

// A model before its weights are loaded: the header of a safetensors file, or the pickle in a
// PyTorch archive, contains names and shapes, which identify the family.
namespace headlight {

// load_model() with zeros for the weights. It only reads headers, configs next to the file, and the
// few small tensors that a family checks, such as a window's position indices. So `read` may return
// a file on a server whose parts are fetched on request. Weights stored as F32 take no memory.
// Files of other formats are read completely. Throws as load_model does; std::bad_alloc if the
// model would not fit into memory.
std::shared_ptr<const Model> preview_model(const std::string& path, const FileReader& read,
                                           const StopFlag& stop = {});

// A short description: "ViT-S/16, 1000 classes"; "DINOv2 ViT-B/14, no classifier"; "Swin-T, 1000
// classes"; for sizes without a letter "ViT, 6 layers × 3 heads, patches of 8 × 8 pixels".
std::string model_in_short(const Model& model);

}  // namespace headlight

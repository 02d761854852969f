#pragma once

#include <memory>
#include <string>

#include "files/file.h"
#include "kernels/stop.h"
#include "model/model.h"

// What a model is before its weights are there: the header of a safetensors file, or the pickle in
// an archive of PyTorch, gives names and shapes, and these tell the family.
namespace headlight {

// load_model(), with zeros for the weights: `read` is asked for headers, for configs beside the
// file, and for the few small tensors that are no weights and that a family checks, such as a
// window's index of positions. So `read` may give a file on a server, whose parts are fetched as
// they are asked for. Takes no memory for weights that the file stores as F32. Files of other
// formats are read as a whole. Throws as load_model does; std::bad_alloc where the model would not
// fit into this machine's memory.
std::shared_ptr<const Model> preview_model(const std::string& path, const FileReader& read,
                                           const StopFlag& stop = {});

// "ViT-S/16, 1000 classes"; "DINOv2 ViT-B/14, no classifier"; "Swin-T, 1000 classes"; for sizes
// without a letter "ViT, 6 layers × 3 heads, patches of 8 × 8 pixels".
std::string model_in_short(const Model& model);

}  // namespace headlight

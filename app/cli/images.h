#pragma once

#include <string>
#include <vector>

#include "model/model.h"

// Several images through one model, as --image names them.
namespace headlight::cli {

// A folder stands for all images in it, in natural order. Throws WorkError where it has none.
std::vector<std::string> all_images(const std::vector<std::string>& named);

// The file that names several images, beside the array `out`. Throws UsageError where `out` is a
// .safetensors file, which holds one image, or a device or a folder, which has nothing beside it.
std::string list_beside(const std::string& out);

// Of several images each has its own sample of a batch of attention maps. Throws WorkError where
// the file has not as many.
void expect_as_many_samples(const Model& model, std::size_t images);

}  // namespace headlight::cli

#pragma once

#include <map>
#include <optional>
#include <string>

#include "files/tensor_file.h"
#include "model/lora_config.h"

namespace headlight {

inline constexpr const char* kAdapter = "adapter_model.safetensors";
inline const std::string kPeft = "base_model.model.";  // peft's prefix of a model's own names

// An adapter. Its tensors are listed under the names of the base model.
struct Adapter {
    std::string path;
    StoredTensors tensors;
    std::map<std::string, std::string> own_names;  // names in the adapter's file
    std::string renamed;  // for people: `"vit." became "model."`; empty: the names are those of the
                          // base
};

// Reads adapter_model.safetensors next to the file of `base`; nothing if there is none. The names
// of adapter and base may have different prefixes. The adapter is matched by one change of prefix
// for all of its tensors that leads to weights of fitting shapes. `part` selects the encoder if
// several fit. Throws CheckpointError if the adapter fits nowhere or in several places, and if
// biases or modules listed in its config are missing.
std::optional<Adapter> adapter_beside(const TensorFile& base, const FileReader& read,
                                      const LoraConfig& config,
                                      const std::optional<std::string>& part, const StopFlag& stop);

// The weight that additions to this module change: that of a linear layer, a convolution, or
// torch.nn.MultiheadAttention. Null if there is none.
const StoredTensors::value_type* weight_of_module(const StoredTensors& base,
                                                  const std::string& module);

// Numbers per row; 0 if there are none.
std::int64_t row_length(const StoredTensor& tensor);
std::int64_t rows_of(const StoredTensor& tensor);

}  // namespace headlight

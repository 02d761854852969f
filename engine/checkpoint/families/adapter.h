#pragma once

#include <map>
#include <optional>
#include <string>

#include "files/tensor_file.h"
#include "model/lora_config.h"

namespace headlight {

inline constexpr const char* kAdapter = "adapter_model.safetensors";
inline const std::string kPeft = "base_model.model.";  // what peft puts before a model's own names

// An adapter, whose tensors have the names of the base model's here.
struct Adapter {
    std::string path;
    StoredTensors tensors;
    std::map<std::string, std::string> own_names;  // in the adapter's file
    std::string renamed;  // for people: `"vit." became "model."`; empty: the names are the base's
};

// adapter_model.safetensors beside the file of `base`; nothing where there is none. The names of
// adapter and base may differ in what they begin with: it is placed where one beginning for all of
// its tensors leads to weights of fitting shapes. `part` says which encoder, where several fit.
// Throws CheckpointError for one that fits nowhere or in several places, and for one without the
// biases or modules of which its config speaks.
std::optional<Adapter> adapter_beside(const TensorFile& base, const FileReader& read,
                                      const LoraConfig& config,
                                      const std::optional<std::string>& part, const StopFlag& stop);

// The weight that additions to this module change: a linear layer's, a convolution's, or that of
// torch.nn.MultiheadAttention. Null where there is none.
const StoredTensors::value_type* weight_of_module(const StoredTensors& base,
                                                  const std::string& module);

// Numbers in each row; 0 where there is none.
std::int64_t row_length(const StoredTensor& tensor);
std::int64_t rows_of(const StoredTensor& tensor);

}  // namespace headlight

#pragma once

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "files.h"
#include "tests/source_path.h"

// Whole models on an in-memory disk.
namespace headlight::testing {

inline Bytes golden_model(const std::string& family) {
    std::ifstream file(source_path("tests/golden/families/") + family + ".model.safetensors",
                       std::ios::binary);
    return to_bytes(std::string(std::istreambuf_iterator<char>(file), {}));
}

inline Bytes golden_config(const std::string& family) {
    std::ifstream file(source_path("tests/golden/families/") + family + ".config.json",
                       std::ios::binary);
    return to_bytes(std::string(std::istreambuf_iterator<char>(file), {}));
}

// Two families: timm's has 24 channels, so its config states the number of heads.
inline FileReader model_files() {
    const std::map<std::string, Bytes> models{
        {"timm/model.safetensors", golden_model("timm")},
        {"timm/config.json", to_bytes(R"({"num_heads": 3})")},
        {"vit/model.safetensors", golden_model("hf_vit")},
        {"vit/config.json", to_bytes(R"({"num_attention_heads": 2})")},
        // Its patches are so small that a picture of the default size would have 6400.
        {"encoder/model.safetensors", golden_model("../blocks/encoder")},
        {"encoder/config.json", to_bytes(R"({"image_size": 16})")},
        {"tiny/model.safetensors", golden_model("../blocks/encoder")},
        {"tiny/config.json", to_bytes(R"({"num_heads": 3})")},
        {"mae/model.safetensors", golden_model("mae")},
        {"mae/config.json", to_bytes(R"({"num_heads": 3})")},
        // An added table, and rotated queries and keys.
        {"eva02/model.safetensors", golden_model("eva02")},
        {"eva02/config.json", golden_config("eva02")},
        {"t2t/model.safetensors", golden_model("t2t")},
        {"t2t/config.json", to_bytes(R"({"num_heads": 3})")},
        // Two stages of two layers: 8 × 8 tokens and 2 heads, then 4 × 4 and 4.
        {"swin/model.safetensors", golden_model("swin")},
        {"swin/config.json", to_bytes(R"({"architecture": "swin_of_two_stages",
             "pretrained_cfg": {"input_size": [3, 16, 16]}})")},
        {"layer/model.safetensors", layer_file(8, 49)},
        {"layer/config.json", to_bytes(R"({"num_heads": 2, "image_size": 21})")},
        {"maps/model.safetensors", golden_model("maps")},  // 3 × 3 patches after a class token
        {"lost.pth", to_bytes("\x80\x02}q")},
    };
    return [models, others = test_files()](const std::string& name) {
        const auto model = models.find(name);
        return model == models.end() ? others(name) : FileBytes(model->second);
    };
}

}  // namespace headlight::testing

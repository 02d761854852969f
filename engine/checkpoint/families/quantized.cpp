#include "families/quantized.h"

#include <array>
#include <string_view>

namespace headlight {

namespace {

// Recognized by the end of a tensor's name. The first matching row counts.
struct Packing {
    std::string_view sign, words;
};
constexpr std::array kPackings{
    Packing{".quant_state.bitsandbytes__nf4", "bitsandbytes (nf4, 4 bits)"},
    Packing{".quant_state.bitsandbytes__fp4", "bitsandbytes (fp4, 4 bits)"},
    Packing{".absmax", "bitsandbytes (4 bits)"},
    Packing{".nested_absmax", "bitsandbytes (4 bits)"},
    Packing{".quant_map", "bitsandbytes (4 bits)"},
    Packing{".SCB", "bitsandbytes (int8)"},
    Packing{".weight_format", "bitsandbytes (int8)"},
    Packing{".g_idx", "GPTQ"},
    Packing{".qweight", "GPTQ or AWQ"},
    Packing{".qzeros", "GPTQ or AWQ"},
    Packing{".scales", "GPTQ or AWQ"},
    Packing{".weight_packed", "compressed-tensors"},
    Packing{".weight_scale_inv", "FP8 with scales"},
    Packing{".weight_scale", "FP8 or int8 with scales"},
    Packing{".weight_zero_point", "scales and zero points"},
    Packing{".weight._data", "quanto"},
    Packing{".weight._scale", "quanto"},
    Packing{"._packed_params._packed_params", "PyTorch (int8)"}};

}  // namespace

void expect_not_quantized(const TensorReader& at) {
    const std::vector<std::string> names = at.names();
    for (const auto& [sign, words] : kPackings)
        for (const std::string& name : names)
            if (name.ends_with(sign))
                at.refuse(name, "weights in floating point",
                          "weights quantized by " + std::string(words) +
                              ". Save the model again without quantization");
}

}  // namespace headlight

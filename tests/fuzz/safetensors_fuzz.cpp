#include <cstring>
#include <string_view>

#include "checkpoint/layer_file.h"
#include "checkpoint/safetensors.h"
#include "fuzz.h"

using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::read_or_refuse([&] {
        const TensorMap tensors = read_safetensors(fuzz::bytes_of(data, size), "file");
        std::size_t numbers = 0;
        for (const auto& [name, tensor] : tensors) numbers += tensor.values.size();
        fuzz::promise(numbers <= size, "every number needs a byte of the file");
        (void)read_layer(tensors, "file");
    });
    return 0;
}

// Mostly writes the length of the header as it is now: otherwise most damage would be noticed by
// the length, and what lies behind would not be reached.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const std::size_t end = file.rfind('}');
    if (seed % 4 != 0 && end != std::string_view::npos && end >= 8) {
        const std::uint64_t length = end - 7;
        std::memcpy(data, &length, sizeof length);
    }
    return size;
}

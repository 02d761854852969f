#include "files/safetensors.h"
#include "fuzz.h"

using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::read_or_refuse([&] {
        const TensorMap tensors = read_safetensors(fuzz::bytes_of(data, size), "file");
        std::size_t numbers = 0;
        for (const auto& [name, tensor] : tensors) numbers += tensor.values.size();
        fuzz::promise(numbers <= size, "every number needs a byte of the file");
    });
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
    return fuzz::mend_header(data, LLVMFuzzerMutate(data, size, max_size), seed);
}

#include <memory>

#include "families/load.h"
#include "fuzz.h"

// A safetensors file as a model: families with wrong shapes, missing tensors, or an additional one.
using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = fuzz::bytes_of(data, size);
    const FileBytes input = Bytes(bytes.begin(), bytes.end());
    const FileReader read = [&](const std::string& name) -> File {
        if (name != "file") throw FileMissing(name);
        return input;
    };
    fuzz::read_or_refuse([&] {
        ModelOptions options;
        options.num_heads = 2;  // seeds are too narrow for the families' own conventions
        fuzz::promise(load_model("file", read, options) != nullptr, "a model or an error");
    });
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
    return fuzz::mend_header(data, LLVMFuzzerMutate(data, size, max_size), seed);
}

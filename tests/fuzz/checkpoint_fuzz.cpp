#include <string>

#include "files/tensor_file.h"
#include "fuzz.h"

// A whole checkpoint of any format: detection, shard indexes, reading every tensor.
using namespace headlight;

namespace {

// The shards named by an index of the corpus: one number each.
FileBytes shard() {
    const std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    std::string file(1, static_cast<char>(header.size()));
    file += std::string(7, '\0') + header + std::string(4, '\0');
    const auto bytes = std::as_bytes(std::span(file));
    return Bytes(bytes.begin(), bytes.end());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = fuzz::bytes_of(data, size);
    // Separate memory, so that tensors can be read in place.
    const FileBytes input = Bytes(bytes.begin(), bytes.end());
    fuzz::read_or_refuse([&] {
        const TensorFile file = open_tensor_file(
            "file", [&](const std::string& name) { return name == "file" ? input : shard(); });
        for (const auto& [name, tensor] : file.tensors())
            fuzz::read_or_refuse([&, &key = name, &stored = tensor] {
                (void)file.matrix(key, 1, static_cast<Index>(stored.count()));
            });
    });
    return 0;
}

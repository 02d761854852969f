#include "files/npy.h"

#include <vector>

#include "fuzz.h"

using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::read_or_refuse([&] {
        const FileBytes file(fuzz::bytes_of(data, size), nullptr);
        const StoredTensor tensor = read_npy(file, "file");
        fuzz::promise(tensor.count() <= size, "every number needs a byte of the file");
        std::vector<float> values(tensor.count());
        to_floats(tensor, values.data());
        (void)find_not_finite(values);
    });
    return 0;
}

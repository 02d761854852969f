#include "files/npz.h"

#include <vector>

#include "fuzz.h"

using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::read_or_refuse([&] {
        const FileBytes file(fuzz::bytes_of(data, size), nullptr);
        const auto members = zip_members(file, "file");
        std::uint64_t unpacked = 0;
        for (const ZipMember& member : members) unpacked += member.size;
        fuzz::promise(unpacked <= (std::uint64_t{64} << 20U) + 32 * size, "bounded archives");
        for (const auto& [name, tensor] : read_npz(members, "file")) {
            std::vector<float> values(tensor.count());
            to_floats(tensor, values.data());
        }
    });
    return 0;
}

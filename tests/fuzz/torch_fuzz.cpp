#include <string>

#include "files/open_checkpoint.h"
#include "files/zip.h"
#include "fuzz.h"

// A PyTorch checkpoint: a whole archive, or otherwise the pickle of one with two storages.
using namespace headlight;

namespace {

void put(std::string& file, std::uint64_t number, std::size_t bytes) {
    file.append(reinterpret_cast<const char*>(&number), bytes);
}

// Stored members, without checksums.
std::string archive(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string file, directory;
    for (const auto& [name, data] : members) {
        const std::uint64_t offset = file.size();
        for (std::string* header : {&file, &directory}) {
            const bool is_central = header == &directory;
            put(*header, is_central ? 0x02014B50 : 0x04034B50, 4);
            put(*header, 20, is_central ? 4 : 2);
            put(*header, 0, 8);
            put(*header, 0, 4);
            put(*header, data.size(), 4);
            put(*header, data.size(), 4);
            put(*header, name.size(), 4);
            if (is_central) {
                put(*header, 0, 8);
                put(*header, 0, 2);
                put(*header, offset, 4);
            }
            *header += name;
        }
        file += data;
    }
    const std::uint64_t start = file.size();
    file += directory;
    put(file, 0x06054B50, 4);
    put(file, 0, 4);
    put(file, members.size(), 2);
    put(file, members.size(), 2);
    put(file, directory.size(), 4);
    put(file, start, 4);
    put(file, 0, 2);
    return file;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string file(reinterpret_cast<const char*>(data), size);
    if (!looks_like_zip(fuzz::bytes_of(data, size)))
        file = archive({{"a/data.pkl", file},
                        {"a/data/0", std::string(256, '\0')},
                        {"a/data/1", std::string(64, '\0')}});
    const auto bytes = std::as_bytes(std::span(file));
    const FileBytes input = Bytes(bytes.begin(), bytes.end());
    fuzz::read_or_refuse([&] {
        const auto opened = open_checkpoint("file", [&](const std::string&) { return input; }, {});
        for (const auto& [name, tensor] : opened.file.tensors()) {
            fuzz::promise(tensor.count() <= (std::size_t{1} << 24U) + size + 256,
                          "tensors of bounded size");
            if (tensor.count() > 4096) continue;  // repeated: reading it only takes time
            fuzz::read_or_refuse([&, &key = name] { (void)opened.file.values(key); });
        }
        // Every listed part can be opened.
        for (const FileParts::Part& part : opened.parts.all)
            fuzz::read_or_refuse([&] {
                (void)open_checkpoint(
                    "file", [&](const std::string&) { return input; }, part.name);
            });
    });
    return 0;
}

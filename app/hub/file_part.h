#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "files/file.h"

// Selects some tensors of a safetensors file as a safetensors file of their own, such as CLIP's
// vision tower without the text tower.
namespace headlight::hub {

struct FilePart {
    struct Span {
        std::uint64_t begin = 0, size = 0;  // byte range in the whole file
    };
    std::string path;         // of the whole file in its repository
    std::string name;         // of the part in our cache
    std::string start;        // its header
    std::vector<Span> spans;  // the bytes after the header, in this order

    [[nodiscard]] std::uint64_t size() const;
    // The position in the whole file of byte `at` of the part, and how many contiguous bytes
    // follow. `at` is after the header and before the end.
    [[nodiscard]] Span source(std::uint64_t at) const;
};

// All tensors except `unused`. `origin` goes into the header's metadata. Empty if the file is not a
// single safetensors file, or if the rest would be in too many pieces. Throws CheckpointError and
// the errors of reading the file.
std::optional<FilePart> part_without(const File& whole, const std::string& path,
                                     const std::set<std::string>& unused,
                                     const std::string& origin);

// The part as a file whose bytes are read from the whole file.
File part_of(const File& whole, const FilePart& part);

}  // namespace headlight::hub

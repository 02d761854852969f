#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "files/file.h"

// A part of a safetensors file: some of its tensors as a safetensors file of their own. So a vision
// tower can be fetched without the tower of text beside it.
namespace headlight::hub {

struct FilePart {
    struct Span {
        std::uint64_t begin = 0, size = 0;  // bytes of the whole file
    };
    std::string path;         // of the whole file in its repository
    std::string name;         // of the part on this disk
    std::string start;        // its header
    std::vector<Span> spans;  // what follows, in this order

    [[nodiscard]] std::uint64_t size() const;
    // Where byte `at` of the part lies in the whole file, and how many bytes follow it there. `at`
    // lies behind the header and before the end.
    [[nodiscard]] Span source(std::uint64_t at) const;
};

// All tensors but `unused`. `origin` goes into the header's metadata. Nothing where the file is not
// safetensors of its own, or where the rest would come in too many pieces. Throws CheckpointError,
// and what reading the file throws.
std::optional<FilePart> part_without(const File& whole, const std::string& path,
                                     const std::set<std::string>& unused,
                                     const std::string& origin);

// The part as a file whose bytes are read from the whole one.
File part_of(const File& whole, const FilePart& part);

}  // namespace headlight::hub

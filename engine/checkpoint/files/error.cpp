#include "files/error.h"

#include <algorithm>

namespace headlight {

std::string shape_text(const std::vector<std::int64_t>& shape) {
    constexpr std::size_t kMost = 8;  // a malicious shape may have a million extents
    std::string text = "[";
    for (std::size_t i = 0; i < std::min(shape.size(), kMost); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() > kMost ? ", ...]" : "]");
}

void Source::refuse(const std::string& expected, const std::string& found) const {
    throw CheckpointError(name_ + ": expected " + expected + ", found " + found + ".");
}

void Source::refuse(const std::string& tensor, const std::string& expected,
                    const std::string& found) const {
    throw CheckpointError(name_ + ": tensor " + in_quotes(tensor) + ": expected " + expected +
                          ", found " + found + ".");
}

}  // namespace headlight

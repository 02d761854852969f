#pragma once

#include <initializer_list>
#include <string_view>

#include "image/bytes.h"

namespace headlight {

// True if a file of the ISO base media format (MP4, HEIF, AVIF) declares one of these brands. In
// the box "ftyp", the major brand is at byte 8, then comes a version, and compatible brands start
// at 16.
inline bool has_brand(Bytes file, std::initializer_list<std::string_view> brands) {
    if (!holds(file, 4, "ftyp")) return false;
    const std::uint64_t end = std::min<std::uint64_t>(big(file, 0, 4), file.size());
    for (std::uint64_t at = 8; at + 4 <= end; at += at == 8 ? 8 : 4)
        for (const std::string_view brand : brands)
            if (holds(file, at, brand)) return true;
    return false;
}

inline bool has_avif_brand(Bytes file) { return has_brand(file, {"avif", "avis"}); }

}  // namespace headlight

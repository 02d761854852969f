#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// Reads numbers from a file whose offsets cannot be trusted.
namespace headlight {

using Bytes = std::span<const std::byte>;

// The `count` bytes from `offset` as one number. Past the end it is 0, which is no marker, no tag
// and no orientation, so every loop over a file stops there. Offsets have 64 bits on every machine,
// so sums of 32-bit numbers from a file cannot overflow.
inline std::uint32_t number(Bytes bytes, std::uint64_t offset, unsigned count, std::endian order) {
    if (offset + count > bytes.size()) return 0;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
        const unsigned next = order == std::endian::big ? i : count - 1 - i;
        value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + next]);
    }
    return value;
}

inline std::uint32_t big(Bytes bytes, std::uint64_t offset, unsigned count) {
    return number(bytes, offset, count, std::endian::big);
}

inline bool holds(Bytes bytes, std::uint64_t offset, std::string_view text) {
    return offset + text.size() <= bytes.size() &&
           std::ranges::equal(bytes.subspan(offset, text.size()), text, {}, {},
                              [](char c) { return static_cast<std::byte>(c); });
}

// As much of the requested part as exists.
inline Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t count) {
    if (offset >= bytes.size()) return {};
    return bytes.subspan(offset, std::min<std::uint64_t>(count, bytes.size() - offset));
}

}  // namespace headlight

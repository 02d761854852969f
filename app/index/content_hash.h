#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headlight {

// XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): tells files apart quickly. It
// does not protect against forged ones.
std::uint64_t content_hash(std::span<const std::byte> bytes);

}  // namespace headlight

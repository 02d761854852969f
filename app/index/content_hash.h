#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headlight {

// XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). A fast hash to distinguish
// files; it does not protect against forgery.
std::uint64_t content_hash(std::span<const std::byte> bytes);

}  // namespace headlight

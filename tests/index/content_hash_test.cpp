#include "index/content_hash.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace headlight {
namespace {

std::uint64_t hash_of(std::string_view text) {
    return content_hash(std::as_bytes(std::span(text)));
}

// Values from the reference implementation.
TEST(ContentHash, is_xxh64) {
    EXPECT_EQ(hash_of(""), 0xef46db3751d8e999U);
    EXPECT_EQ(hash_of("a"), 0xd24ec4f1a98c6e5bU);
    EXPECT_EQ(hash_of("abc"), 0x44bc2cf5ad770999U);
    EXPECT_EQ(hash_of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1U);
}

}  // namespace
}  // namespace headlight

#include "disk/size_text.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

TEST(SizeText, is_decimal_and_rounds_once) {
    EXPECT_EQ(bytes_in_words(0), "0 bytes");
    EXPECT_EQ(bytes_in_words(999), "999 bytes");
    EXPECT_EQ(bytes_in_words(1500), "1.5 kB");
    EXPECT_EQ(bytes_in_words(88'200'000), "88 MB");
    EXPECT_EQ(bytes_in_words(999'600'000), "1.0 GB");
    EXPECT_EQ(bytes_in_words(1'500'000'000), "1.5 GB");
    EXPECT_EQ(bytes_in_words(9'949), "9.9 kB");
    EXPECT_EQ(bytes_in_words(9'950), "10 kB");
    EXPECT_EQ(bytes_in_words(999'499), "999 kB");
    EXPECT_EQ(bytes_in_words(999'500), "1.0 MB");
}

}  // namespace
}  // namespace headlight

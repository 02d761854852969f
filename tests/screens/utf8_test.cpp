#include "ui/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headlight::ui {
namespace {

std::vector<char32_t> points_of(std::string_view text) {
    std::vector<char32_t> points;
    while (!text.empty()) points.push_back(cut_letter(text).point);
    return points;
}

TEST(Utf8, letters_of_each_length_are_told_apart) {
    EXPECT_EQ(points_of("aé猫🐈"), (std::vector<char32_t>{'a', 0xE9, 0x732B, 0x1F408}));
}

TEST(Utf8, what_is_no_letter_is_a_byte_for_itself) {
    // A continuation byte alone, a lead byte alone, an overlong slash, a UTF-16 surrogate, beyond
    // the last code point.
    for (const std::string bytes :
         {"\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"}) {
        std::string_view rest = bytes;
        const Letter letter = cut_letter(rest);
        EXPECT_FALSE(letter.valid);
        EXPECT_EQ(rest.size(), bytes.size() - 1);
        EXPECT_EQ(points_of(bytes + "a").back(), char32_t{'a'});
    }
}

TEST(Utf8, the_last_letter_goes_whole) {
    EXPECT_EQ(without_last_letter("a猫"), "a");
    EXPECT_EQ(without_last_letter("a🐈"), "a");
    EXPECT_EQ(without_last_letter("猫a"), "猫");
    EXPECT_EQ(without_last_letter("a\xE7\x8C"), "a\xE7");  // half a letter: byte by byte
    EXPECT_EQ(without_last_letter("\x80\x80\x80\x80\x80"), "\x80\x80\x80\x80");
}

}  // namespace
}  // namespace headlight::ui

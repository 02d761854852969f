#include "patches/token_words.h"

#include <gtest/gtest.h>

namespace headlight::token_words_test {
namespace {

TEST(TokenWords, name_every_token_and_are_read_back) {
    for (const TokenLayout& layout : {TokenLayout{1, 1, 4, 9}, TokenLayout{0, 0, 2, 3},
                                      TokenLayout{1, 0, 0, 12}, TokenLayout{0, 0, 0, 5}})
        for (Index token = 0; token < layout.count(); ++token) {
            EXPECT_EQ(token_of_word(layout, token_word(layout, token)), token);
            EXPECT_EQ(token_of_word(layout, token_word_on_screens(layout, token)), token);
            EXPECT_EQ(token_of_word(layout, "token" + std::to_string(token)), token);
        }
    const TokenLayout all{1, 1, 2, 9};
    EXPECT_EQ(token_word(all, 0), "class");
    EXPECT_EQ(token_word(all, 1), "distillation");
    EXPECT_EQ(token_word(all, 3), "register1");
    EXPECT_EQ(token_word(all, 4), "0");
    EXPECT_EQ(token_word_on_screens(all, 3), "register1");
    EXPECT_EQ(token_word_on_screens(all, 4), "token4");
}

TEST(TokenWords, of_what_there_is_not_are_none) {
    const TokenLayout few{0, 0, 2, 9};
    for (const char* word :
         {"class", "distillation", "register2", "register-0", "register", "9", "token", "token11",
          "token-1", "-1", "1.5", "", " 1", "1 ", "+1", "0x1", "99999999999999999999"})
        EXPECT_EQ(token_of_word(few, word), std::nullopt) << word;
}

TEST(TokenWords, stand_in_lists) {
    EXPECT_EQ(words_of_list("class,43,57"), (std::vector<std::string>{"class", "43", "57"}));
    EXPECT_EQ(words_of_list("43"), (std::vector<std::string>{"43"}));
    EXPECT_EQ(words_of_list("43,,"), (std::vector<std::string>{"43", "", ""}));
}

}  // namespace
}  // namespace headlight::token_words_test

#include "patches/token_layout.h"

#include <gtest/gtest.h>

namespace headlight::token_layout_test {
namespace {

TEST(TokenLayout, counts_what_stands_before_the_patches) {
    const TokenLayout layout{1, 1, 4, 196};
    EXPECT_EQ(layout.prefix(), 6);
    EXPECT_EQ(layout.count(), 202);
    EXPECT_EQ(TokenLayout{}.count(), 0);
}

TEST(TokenLayout, knows_each_tokens_kind) {
    const TokenLayout layout{1, 1, 2, 3};
    const TokenKind expected[] = {TokenKind::class_token,    TokenKind::distillation_token,
                                  TokenKind::register_token, TokenKind::register_token,
                                  TokenKind::patch,          TokenKind::patch,
                                  TokenKind::patch};
    for (Index token = 0; token < layout.count(); ++token)
        EXPECT_EQ(layout.kind_of(token), expected[token]) << token;
}

TEST(TokenLayout, leaves_out_what_a_model_has_not) {
    const TokenLayout registers_only{0, 0, 2, 1};
    EXPECT_EQ(registers_only.kind_of(0), TokenKind::register_token);
    EXPECT_EQ(registers_only.kind_of(2), TokenKind::patch);
    const TokenLayout distillation_only{0, 1, 0, 1};
    EXPECT_EQ(distillation_only.kind_of(0), TokenKind::distillation_token);
    const TokenLayout patches_only{0, 0, 0, 9};
    EXPECT_EQ(patches_only.kind_of(0), TokenKind::patch);
}

TEST(TokenName, says_kind_and_number) {
    const TokenLayout layout{1, 1, 4, 49};
    EXPECT_EQ(token_name(layout, 0), "class token");
    EXPECT_EQ(token_name(layout, 1), "distillation token");
    EXPECT_EQ(token_name(layout, 2), "register 0");
    EXPECT_EQ(token_name(layout, 5), "register 3");
    EXPECT_EQ(token_name(layout, 6), "token 6");
    EXPECT_EQ(token_name(layout, 50), "token 50");
    EXPECT_EQ(token_name(layout, 54), "token 54");
}

TEST(TokenName, of_no_token_is_only_its_index) {
    const TokenLayout layout{1, 0, 0, 4};
    EXPECT_EQ(token_name(layout, 5), "token 5");
    EXPECT_EQ(token_name(layout, -1), "token -1");
}

}  // namespace
}  // namespace headlight::token_layout_test

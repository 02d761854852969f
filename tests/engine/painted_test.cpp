#include "attention/painted.h"

#include <gtest/gtest.h>

#include <random>

#include "encoder/runner.h"
#include "masked.h"
#include "naive.h"
#include "picture.h"
#include "program/mask_text.h"
#include "program/values.h"

// Masks painted cell by cell.
namespace headlight::painted_test {
namespace {

constexpr Index kTokens = 25;

std::shared_ptr<const Trace> run(const MaskRules& mask) {
    return Runner([](const std::string&) { return picture(50, 47); }).run(recipe_with(mask));
}

// Paints the cells that a rule blocks.
MaskRules painted_like(const MaskRule& rule, const TokenGrid& places) {
    MaskRules rules;
    for (Index n = 0; n < kTokens; ++n)
        for (Index m = 0; m < kTokens; ++m)
            if (blocks({rule}, places, n, m))
                rules = painted(rules, kTokens, kTokens, {n, n, m, m}, true);
    return rules;
}

TEST(Painted, like_each_rule_gives_the_same_numbers) {
    const TokenGrid places{0, 5, 5};
    for (const MaskInfo& mask : all_masks()) {
        if (mask.id == MaskKind::blocked) continue;  // is painted itself
        MaskRule rule{mask.id};
        for (int i = 0; i < std::min(mask.most, 4); ++i) rule.numbers.push_back(1 + 7 * i);
        const MaskRules painting = painted_like(rule, places);
        ASSERT_EQ(painting.size(), 1U);
        const auto by_rule = make_mask({rule}, nullptr, places, kTokens, kTokens),
                   by_hand = make_mask(painting, nullptr, {}, kTokens, kTokens);
        EXPECT_EQ(by_rule->blocked, by_hand->blocked) << info(rule.kind).name;
        EXPECT_TRUE(naive::identical(run({rule})->all(Tensor::attention),
                                     run(painting)->all(Tensor::attention)))
            << info(rule.kind).name;
    }
}

// Compared with a plain table of cells, through many strokes of both kinds.
TEST(Painted, cells_are_those_that_were_painted_and_not_freed) {
    std::mt19937 chance(3);
    constexpr Index queries = 7, keys = 11;
    const auto below = [&](Index end) { return static_cast<Index>(chance() % end); };
    std::vector<bool> expected(queries * keys);
    MaskRules rules{{MaskKind::causal}};
    for (int stroke = 0; stroke < 200; ++stroke) {
        const Index row = below(queries), col = below(keys);
        const CellBlock block{row, row + below(queries - row), col, col + below(keys - col)};
        const bool blocked = below(2) == 0;
        rules = painted(rules, queries, keys, block, blocked);
        for (Index n = block.first_row; n <= block.last_row; ++n)
            for (Index m = block.first_col; m <= block.last_col; ++m)
                expected[static_cast<std::size_t>(n * keys + m)] = blocked;
        const bool any = std::ranges::find(expected, true) != expected.end();
        ASSERT_EQ(rules.size(), any ? 2U : 1U);
        EXPECT_EQ(rules.front().kind, MaskKind::causal);
        EXPECT_EQ(parse_mask("mask", mask_text(rules)), rules) << mask_text(rules);
        if (!any) continue;
        EXPECT_EQ(painted_cells(rules[1]), std::ranges::count(expected, true));
        for (Index n = 0; n < queries; ++n)
            for (Index m = 0; m < keys; ++m)
                ASSERT_EQ(is_painted(rules[1], n, m),
                          expected[static_cast<std::size_t>(n * keys + m)]);
    }
}

TEST(Painted, rows_alike_are_written_once) {
    const MaskRules rules =
        painted(painted({}, 9, 8, {2, 5, 0, 3}, true), 9, 8, {5, 5, 7, 7}, true);
    EXPECT_EQ(mask_text(rules), "blocked 9x8 2-4.0-3 5.0-3 5.7");
    EXPECT_EQ(parse_mask("mask", "blocked 9x8 5.7 2-5.0-3 2.1"), rules);
}

TEST(Painted, for_other_tokens_is_begun_anew_or_refused) {
    const MaskRules nine = painted({}, 9, 9, {0, 8, 4, 4}, true);
    EXPECT_EQ(mask_text(painted(nine, 4, 4, {1, 1, 2, 2}, true)), "blocked 4x4 1.2");
    try {
        (void)make_mask(nine, nullptr, {}, 9, 8);
        ADD_FAILURE();
    } catch (const AttentionError& error) {
        EXPECT_STREQ(
            error.what(),
            "The painted mask is for 9 queries and 9 keys, but there are 9 queries and 8 keys.");
    }
}

TEST(Painted, what_is_no_painting_is_refused) {
    for (const char* text :
         {"blocked", "blocked 4x4", "blocked 4 4 0.0", "blocked 0x4 0.0", "blocked 4x4 4.0",
          "blocked 4x4 0.4", "blocked 4x4 2-1.0", "blocked 4x4 0.2-1", "blocked 4x4 0",
          "blocked 4x4 0.", "blocked 4x4 0.0.0", "blocked 4x4 -1.0", "blocked 99999x99999 0.0",
          "blocked 4x4 0.0 + blocked 4x4 1.1", "blocked 4x99999999999 0.0"})
        EXPECT_THROW(parse_mask("mask", text), ValueError) << text;
}

}  // namespace
}  // namespace headlight::painted_test

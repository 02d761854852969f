#include "ui/equation.h"

#include <gtest/gtest.h>

#include <string>

namespace headlight::ui {
namespace {

using Kind = Glyphs::Kind;

std::string text_of(const std::vector<Glyphs>& equation) {
    std::string text;
    for (const Glyphs& glyphs : equation) text += glyphs.text;
    return text;
}

TEST(ParseEquation, gives_a_sign_its_limits_in_either_order) {
    for (const char* text : {"a\\limits{∑}_{j=1}^{N} b_{j}", "a\\limits{∑}^{N}_{j=1} b_{j}"}) {
        const auto equation = parse_equation(text);
        ASSERT_EQ(equation.size(), 4U);
        const Glyphs& sum = equation[1];
        EXPECT_EQ(sum.kind, Kind::limits);
        EXPECT_EQ(sum.text, "∑");
        EXPECT_EQ(text_of(sum.below), "j=1");
        EXPECT_EQ(text_of(sum.inside), "N");
        EXPECT_EQ(equation[2].text, " b");
        EXPECT_EQ(equation[3].level, -1);
    }
}

TEST(ParseEquation, leaves_out_a_limit_that_is_not_given) {
    const auto lower = parse_equation("\\limits{max}_{j}"),
               upper = parse_equation("\\limits{∏}^{n}");
    ASSERT_EQ(lower.size(), 1U);
    ASSERT_EQ(upper.size(), 1U);
    EXPECT_EQ(text_of(lower[0].below), "j");
    EXPECT_TRUE(lower[0].inside.empty());
    EXPECT_EQ(text_of(upper[0].inside), "n");
    EXPECT_TRUE(upper[0].below.empty());
}

TEST(ParseEquation, takes_a_second_limit_of_a_kind_for_a_script) {
    const auto equation = parse_equation("\\limits{∑}_{i}_{j}");
    ASSERT_EQ(equation.size(), 2U);
    EXPECT_EQ(text_of(equation[0].below), "i");
    EXPECT_EQ(equation[1].kind, Kind::text);
    EXPECT_EQ(equation[1].text, "j");
}

TEST(ParseEquation, sets_limits_within_fractions) {
    const auto equation = parse_equation("\\frac{a}{\\limits{∑}_{k} b}");
    ASSERT_EQ(equation.size(), 1U);
    ASSERT_EQ(equation[0].kind, Kind::fraction);
    ASSERT_EQ(equation[0].below.size(), 2U);
    EXPECT_EQ(equation[0].below[0].kind, Kind::limits);
}

TEST(ParseEquation, gives_a_named_symbol_only_the_scripts_directly_after_it) {
    const auto equation = parse_equation("{query:Q}_{h}^{T} x_{i} \\frac{a}{b}^{2}");
    ASSERT_EQ(equation.size(), 8U);
    EXPECT_EQ(equation[1].name, "query");
    EXPECT_EQ(equation[2].name, "query");
    EXPECT_EQ(equation[4].text, "i");
    EXPECT_EQ(equation[4].name, "");
    EXPECT_EQ(equation[7].text, "2");
    EXPECT_EQ(equation[7].name, "");
}

// They come from a lesson's text, which may be anything.
TEST(ParseEquation, takes_what_is_not_complete) {
    for (const char* text :
         {"\\limits{", "\\limits{}_{j}", "\\limits{∑}_", "\\limits{∑}_{", "\\limits{∑}^{}"})
        EXPECT_LE(parse_equation(text).size(), 2U) << text;
}

}  // namespace
}  // namespace headlight::ui

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heads/class_hues.h"
#include "pane.h"
#include "ui/theme.h"
#include "walks.h"

// A query whose keys are all masked has zero weights by definition, so no step may show a sum that
// was never computed. Also tests the hues of classes.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;

std::string all_texts(Pane& pane, Desk& desk) {
    const ui::Recording& recording = pane.record();
    pane.draw_until_answered(desk, {1600, 1000}, 1);
    std::string all;
    for (const ui::DrawnText& text : recording.texts({0, 0, 1600, 1000})) all += text.text + "\n";
    return all;
}

bool says(const std::string& all, std::string_view what) {
    return all.find(what) != std::string::npos;
}

class MaskedRow : public ::testing::TestWithParam<const char*> {
  protected:
    MaskedRow() : desk_(testing::cat(), testing::read_source) {
        for (const std::string& command :
             {std::string("set weights_from ") + GetParam(), "mask-cells blocked 7 0-" + last(),
              std::string("mask-cells blocked 8 0-3")})
            EXPECT_TRUE(desk_.does(command)) << command << ": " << desk_->notice().text;
    }
    std::string last() { return std::to_string(desk_->trace()->shape.keys - 1); }
    std::string texts_at(const std::string& step, int row) {
        EXPECT_TRUE(desk_.does("step " + step)) << desk_->notice().text;
        EXPECT_TRUE(desk_.does("cell " + std::to_string(row) + " 5")) << desk_->notice().text;
        return all_texts(pane_, desk_);
    }

    Pane pane_;
    Desk desk_;
};

TEST_P(MaskedRow, is_said_to_be_one_in_every_step_and_nothing_is_divided) {
    for (const char* step : {"mask", "softmax", "mix"}) {
        const std::string masked = texts_at(step, 7);
        EXPECT_FALSE(pane_.ui().reports().contains("arithmetic.checked")) << step;
        const std::string other = texts_at(step, 8);
        EXPECT_TRUE(says(masked, "All keys of this query are masked")) << step << "\n" << masked;
        EXPECT_TRUE(says(masked, "PyTorch")) << step;
        EXPECT_FALSE(says(other, "All keys of this query are masked")) << step;
        EXPECT_FALSE(says(masked, "recomputed") || says(masked, "≠ shown")) << step;
        EXPECT_FALSE(says(masked, "NaN =") || says(masked, "= NaN")) << step << "\n" << masked;
    }
    const std::string masked = texts_at("softmax", 7), other = texts_at("softmax", 8);
    EXPECT_FALSE(says(masked, "which adds up to 1")) << masked;
    EXPECT_FALSE(says(other, "≠ shown")) << other;
    EXPECT_EQ(pane_.ui().reports().at("arithmetic.checked"), "equal");
}

TEST_P(MaskedRow, has_bars_of_nothing_in_each_of_the_three_plots) {
    if (std::string(GetParam()) != "softmax") return;
    const std::string other = texts_at("softmax", 8), masked = texts_at("softmax", 7);
    EXPECT_TRUE(says(other, "s − max = ") && says(other, "which adds up to 1")) << other;
    EXPECT_TRUE(says(masked, "row 7 of S: all keys are masked")) << masked;
    EXPECT_TRUE(says(masked, "Σ = 0")) << masked;
    EXPECT_TRUE(says(masked, "row 7 of A is fully masked")) << masked;
    const std::string line = pane_.ui().reports().at("arithmetic.line");
    EXPECT_FALSE(says(line, "/") || says(line, "≈") || says(line, "NaN")) << line;
}

INSTANTIATE_TEST_SUITE_P(All, MaskedRow, ::testing::Values("softmax", "max"),
                         [](const auto& param) { return std::string(param.param); });

TEST(ColumnSums, are_said_where_values_are_summed_over_the_queries) {
    Desk desk(testing::cat(), testing::read_source);
    Pane pane;
    EXPECT_FALSE(says(all_texts(pane, desk), "row sums 1.000")) << "it holds: no need to say so";
    ASSERT_TRUE(desk.does("set fold_numbers open"));
    EXPECT_TRUE(says(all_texts(pane, desk), "row sums 1.000"));
    ASSERT_TRUE(desk.does("set fold_numbers folded"));
    ASSERT_TRUE(desk.does("set sum_over queries")) << desk->notice().text;
    const std::string turned = all_texts(pane, desk);
    EXPECT_FALSE(says(turned, "row sums 1.000")) << turned;
    EXPECT_TRUE(says(turned, "column sums ")) << turned;
}

TEST(ClassHues, follow_the_class_and_not_its_rank) {
    std::vector<Index> classes{5, 0, 3, 2};
    const std::vector<int> hues = screens::class_hues(classes);
    std::vector<Index> ranked{0, 2, 3, 5};
    do {
        const std::vector<int> others = screens::class_hues(ranked);
        for (std::size_t i = 0; i < ranked.size(); ++i)
            EXPECT_EQ(others[i], hues[static_cast<std::size_t>(
                                     std::ranges::find(classes, ranked[i]) - classes.begin())]);
    } while (std::ranges::next_permutation(ranked).found);
    // Even beside other classes, in a model with few classes.
    EXPECT_EQ(screens::class_hues(std::vector<Index>{1, 5, 4, 6})[1], hues[0]);
}

TEST(ClassHues, differ_and_are_none_of_the_first_four_heads) {
    for (const Index step : {1, 12, 13, 997}) {
        std::vector<Index> classes{7, 7 + step, 7 + 2 * step, 7 + 3 * step};
        std::vector<int> hues = screens::class_hues(classes);
        std::ranges::sort(hues);
        EXPECT_EQ(std::ranges::adjacent_find(hues), hues.end()) << step;
        EXPECT_GE(hues.front(), 4);
        EXPECT_LT(hues.back(), ui::kHeadHues);
    }
}

}  // namespace
}  // namespace headlight

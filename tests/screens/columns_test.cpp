#include "lessons_screen/columns.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace headlight::screens {
namespace {

TEST(Columns, share_the_room_in_proportion_to_their_wishes) {
    EXPECT_EQ(column_widths({{10, 100}, {10, 300}}, 800), (std::vector<float>{200, 600}));
}

TEST(Columns, keep_their_longest_words_whole) {
    // "softmax" beside a long sentence
    const auto widths = column_widths({{60, 60}, {40, 1000}}, 300);
    EXPECT_FLOAT_EQ(widths[0], 60);
    EXPECT_FLOAT_EQ(widths[1], 240);
}

TEST(Columns, shrink_alike_where_even_words_have_no_room) {
    EXPECT_EQ(column_widths({{100, 100}, {300, 900}}, 200), (std::vector<float>{50, 150}));
}

TEST(Columns, without_text_share_nothing) {
    EXPECT_EQ(column_widths({}, 300), std::vector<float>{});
    EXPECT_EQ(column_widths({{0, 0}}, 300), std::vector<float>{0});
}

TEST(Columns, fill_any_table) {
    std::mt19937 random(1);
    const auto up_to = [&](int most) {
        return static_cast<float>(std::uniform_int_distribution(1, most)(random));
    };
    for (int i = 0; i < 1000; ++i) {
        std::vector<Column> columns(1 + random() % 6);
        float least = 0;
        for (Column& column : columns) {
            column = {up_to(80), up_to(400)};
            least += column.least;
        }
        const float width = up_to(600);
        const auto widths = column_widths(columns, width);
        EXPECT_NEAR(std::accumulate(widths.begin(), widths.end(), 0.0F), width, 0.01F) << i;
        for (std::size_t k = 0; k < columns.size() && least <= width; ++k)
            EXPECT_GE(widths[k], columns[k].least - 0.01F) << i;
    }
}

}  // namespace
}  // namespace headlight::screens

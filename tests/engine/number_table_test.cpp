#include "analysis/number_table.h"

#include <gtest/gtest.h>

#include <limits>

// Tables of numbers for spreadsheets. tests/ui/test_exports.py reads such files with Python's csv.
namespace headlight::number_table_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

NumberTable table() {
    NumberTable made{{"layer", "head"}, {}, {"entropy, bit", "a \"b\""}, {}};
    made.add({"Layer 1", "1"}, {1.5, kNaN});
    made.add({"Layer 1", "2"}, {0.1, -std::numeric_limits<double>::infinity()});
    return made;
}

TEST(NumberTable, is_text_whose_names_may_hold_any_sign) {
    EXPECT_EQ(text_of(table(), ','),
              "layer,head,\"entropy, bit\",\"a \"\"b\"\"\"\n"
              "Layer 1,1,1.5,\n"
              "Layer 1,2,0.1,-inf\n");
    EXPECT_EQ(text_of(table(), '\t'),
              "layer\thead\tentropy, bit\t\"a \"\"b\"\"\"\n"
              "Layer 1\t1\t1.5\t\n"
              "Layer 1\t2\t0.1\t-inf\n");
}

TEST(NumberTable, takes_a_column_for_all_rows) {
    NumberTable with = table();
    with.add_column("x", {7, 8});
    EXPECT_EQ(with.cells[1][2], 8);
    EXPECT_EQ(matrix_of(with)(0, 2), 7);
    EXPECT_TRUE(std::isnan(matrix_of(with)(0, 1)));
    EXPECT_THROW(with.add_column("y", {1}), AnalysisError);
    EXPECT_THROW(with.add({"Layer 2"}, {1, 2, 3}), AnalysisError);
    EXPECT_THROW(with.add({"Layer 2", "1"}, {1, 2}), AnalysisError);
}

}  // namespace
}  // namespace headlight::number_table_test

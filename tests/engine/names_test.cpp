#include "kernels/names.h"

#include <gtest/gtest.h>

// Names and tables are checked against their enums at compile time; this tests the check.
namespace headlight {

enum class Named { first, second, third };
enum class Short { first, second, third };
enum class Long { first, second };
enum class Swapped { first, second };
template <>
inline constexpr auto kNames<Named> = std::to_array<std::string_view>({"first", "2nd", "third"});
template <>
inline constexpr auto kNames<Short> = std::to_array<std::string_view>({"first", "third"});
template <>
inline constexpr auto kNames<Long> = std::to_array<std::string_view>({"first", "second", "third"});
template <>
inline constexpr auto kNames<Swapped> = std::to_array<std::string_view>({"second", "first"});

namespace {

enum class Hidden { a1, b2 };

struct Row {
    Named id;
    int number;
};
constexpr auto kRows =
    std::to_array<Row>({{Named::first, 1}, {Named::second, 2}, {Named::third, 3}});

TEST(Names, fit_their_enumerators_or_do_not_compile) {
    static_assert(enumerator_count<Named>() == 3 && enumerator_count<Hidden>() == 2);
    static_assert(names_fit<Named>());
    static_assert(!names_fit<Short>() && !names_fit<Long>() && !names_fit<Swapped>());
    EXPECT_EQ(name_of(Named::second), "2nd");
    EXPECT_EQ(value_named<Named>("third"), Named::third);
    EXPECT_EQ(value_named<Named>("second"), std::nullopt);
}

TEST(Names, a_table_has_a_row_for_each_enumerator_in_their_order) {
    static_assert(rows_fit(kRows, &Row::id));
    static_assert(!rows_fit(std::span(kRows).first<2>(), &Row::id));
    static_assert(!rows_fit(std::array{kRows[0], kRows[2], kRows[1]}, &Row::id));
    EXPECT_EQ(kRows[static_cast<std::size_t>(Named::third)].number, 3);
}

}  // namespace
}  // namespace headlight

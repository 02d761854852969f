#pragma once

#include <string>
#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"

namespace headlight {

// Numbers whose rows and columns have names, as spreadsheets and statistics read them.
struct NumberTable {
    std::vector<std::string> of_rows;            // what the names of a row are: "layer", "head"
    std::vector<std::vector<std::string>> rows;  // those names: "Layer 3", "1"
    std::vector<std::string> columns;            // what the numbers are, their units with them
    std::vector<std::vector<double>> cells;      // [rows, columns]; NaN: not known

    // Names of a row, as many as `of_rows`, and its numbers, as many as `columns`.
    void add(std::vector<std::string> names, std::vector<double> numbers);
    // A column for each row that is there.
    void add_column(std::string name, const std::vector<double>& numbers);
};

// A line of names, then a line for each row, with that sign between: each number in as few digits
// as give it back exactly, NaN as nothing. A name that holds the sign, a quote or a line's end
// stands in quotes, as in RFC 4180.
std::string text_of(const NumberTable& table, char between);
// What such a line is put together from: a name or a number after those that are there.
void append_field(std::string& line, const std::string& name, char between);
void append_field(std::string& line, double number);
// The numbers alone.
Matrix matrix_of(const NumberTable& table);

}  // namespace headlight

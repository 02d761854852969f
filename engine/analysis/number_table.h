#pragma once

#include <string>
#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"

namespace headlight {

// A table of numbers with named rows and columns, for spreadsheets and statistics programs.
struct NumberTable {
    std::vector<std::string> of_rows;            // titles of the name columns: "layer", "head"
    std::vector<std::vector<std::string>> rows;  // the names of each row: "Layer 3", "1"
    std::vector<std::string> columns;            // titles of the number columns, with units
    std::vector<std::vector<double>> cells;      // [rows, columns]; NaN: unknown

    // Adds a row: as many names as `of_rows`, as many numbers as `columns`.
    void add(std::vector<std::string> names, std::vector<double> numbers);
    // Adds a column with one number per existing row.
    void add_column(std::string name, const std::vector<double>& numbers);
};

// The table as text: a line of titles, then one line per row, with `between` as separator. Numbers
// have as few digits as needed to restore them exactly; NaN is empty. Names that contain the
// separator, a quote or a line end are quoted, as in RFC 4180.
std::string text_of(const NumberTable& table, char between);
// Appends a name or a number to such a line.
void append_field(std::string& line, const std::string& name, char between);
void append_field(std::string& line, double number);
// The numbers without the names.
Matrix matrix_of(const NumberTable& table);

}  // namespace headlight

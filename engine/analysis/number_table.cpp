#include "analysis/number_table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace headlight {

namespace {

using std::to_string;

}  // namespace

void append_field(std::string& line, const std::string& name, char between) {
    if (name.find_first_of(std::string("\"\n\r") + between) == std::string::npos) {
        line += name;
        return;
    }
    line += '"';
    for (const char c : name) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
}

void append_field(std::string& line, double number) {
    if (std::isnan(number)) return;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    line.append(digits.data(), end);
}

void NumberTable::add(std::vector<std::string> names, std::vector<double> numbers) {
    if (names.size() != of_rows.size() || numbers.size() != columns.size())
        throw AnalysisError("Expected a row of " + to_string(of_rows.size()) + " names and " +
                            to_string(columns.size()) + " numbers, found " +
                            to_string(names.size()) + " and " + to_string(numbers.size()) + ".");
    rows.push_back(std::move(names));
    cells.push_back(std::move(numbers));
}

void NumberTable::add_column(std::string name, const std::vector<double>& numbers) {
    if (numbers.size() != rows.size())
        throw AnalysisError("Expected a number for each of " + to_string(rows.size()) +
                            " rows, found " + to_string(numbers.size()) + ".");
    columns.push_back(std::move(name));
    for (std::size_t r = 0; r < rows.size(); ++r) cells[r].push_back(numbers[r]);
}

std::string text_of(const NumberTable& table, char between) {
    std::string text;
    bool begun = false;
    const auto next = [&] {
        if (begun) text += between;
        begun = true;
    };
    for (const auto* names : {&table.of_rows, &table.columns})
        for (const std::string& name : *names) {
            next();
            append_field(text, name, between);
        }
    text += '\n';
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        begun = false;
        for (const std::string& name : table.rows[r]) {
            next();
            append_field(text, name, between);
        }
        for (const double number : table.cells[r]) {
            next();
            append_field(text, number);
        }
        text += '\n';
    }
    return text;
}

Matrix matrix_of(const NumberTable& table) {
    Matrix matrix(static_cast<Index>(table.rows.size()), static_cast<Index>(table.columns.size()));
    for (Index r = 0; r < matrix.rows(); ++r)
        for (Index c = 0; c < matrix.cols(); ++c)
            matrix(r, c) = static_cast<float>(
                table.cells[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
    return matrix;
}

}  // namespace headlight

#include "program/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "kernels/names.h"
#include "kernels/read_number.h"

namespace headlight {

namespace {

// False if std::from_chars does not consume the whole text, or if the number does not fit the type.
template <class Number>
bool read_all(std::string_view text, Number& value) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = read_number(text.data(), end, value);
    return error == std::errc() && stopped == end;
}

template <class Number>
std::string shortest(Number value) {
    std::array<char, 64> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end};
}

}  // namespace

int parse_integer(std::string_view what, std::string_view text, int low, int high) {
    int value = 0;
    if (!read_all(text, value) || value < low || value > high)
        refuse_value(what, "an integer from " + std::to_string(low) + " to " + std::to_string(high),
                     text);
    return value;
}

std::uint64_t parse_unsigned(std::string_view what, std::string_view text) {
    std::uint64_t value = 0;
    if (!read_all(text, value)) refuse_value(what, "a whole number below 2^64", text);
    return value;
}

double parse_number(std::string_view what, std::string_view text, double low, double high) {
    double value = 0;
    // from_chars also accepts "nan" and "inf".
    if (!read_all(text, value) || !std::isfinite(value) || value < low || value > high)
        refuse_value(what, "a number from " + number_text(low) + " to " + number_text(high), text);
    return value;
}

std::array<float, 3> parse_numbers(std::string_view what, std::string text, double low,
                                   double high) {
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    std::array<float, 3> numbers{};
    std::string word;
    std::size_t count = 0;
    for (; words >> word; ++count)
        if (count < numbers.size())
            numbers[count] = static_cast<float>(parse_number(what, word, low, high));
    if (count != numbers.size()) refuse_value(what, "three numbers", text);
    return numbers;
}

bool parse_toggle(std::string_view what, std::string_view text) {
    const bool yes = text == "true" || text == "on", no = text == "false" || text == "off";
    if (!yes && !no) refuse_value(what, "true or false", text);
    return yes;
}

std::size_t parse_name(std::string_view what, std::string_view text,
                       std::span<const std::string_view> names) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) refuse_value(what, alternatives(names), text);
    return static_cast<std::size_t>(found - names.begin());
}

std::string number_text(float value) { return shortest(value); }
std::string number_text(double value) { return shortest(value); }

std::string numbers_text(std::span<const float> values) {
    std::string text;
    for (const float value : values) text += (text.empty() ? "" : " ") + number_text(value);
    return text;
}

void refuse_value(std::string_view what, const std::string& expected, std::string_view found) {
    throw ValueError(std::string(what) + ": expected " + expected + ", found " + in_quotes(found) +
                     ".");
}

}  // namespace headlight

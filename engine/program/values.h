#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/in_quotes.h"

// Text forms of values in commands, fields, options and sessions; independent of the locale.
namespace headlight {

// Input that cannot be parsed or applied. The message is one sentence.
class ValueError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The text must be exactly one number within low..high. Otherwise they throw ValueError with
// `what`, what was expected and what was found.
int parse_integer(std::string_view what, std::string_view text, int low, int high);
std::uint64_t parse_unsigned(std::string_view what, std::string_view text);
double parse_number(std::string_view what, std::string_view text, double low, double high);
// Three numbers separated by blanks or commas, one per channel.
std::array<float, 3> parse_numbers(std::string_view what, std::string text, double low,
                                   double high);
bool parse_toggle(std::string_view what,
                  std::string_view text);  // "true" or "on", "false" or "off"
// The index of the text among the names.
std::size_t parse_name(std::string_view what, std::string_view text,
                       std::span<const std::string_view> names);

// The shortest decimal that restores the same number.
std::string number_text(float value);
std::string number_text(double value);
std::string numbers_text(std::span<const float> values);  // separated by blanks

// Throws ValueError: "temperature: expected a number from 0.05 to 20, found "0"."
[[noreturn]] void refuse_value(std::string_view what, const std::string& expected,
                               std::string_view found);

}  // namespace headlight

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

// Values as commands, fields, options and sessions write them: the same in every locale.
namespace headlight {

// What a person says that is not understood or cannot be done: one sentence.
class ValueError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Nothing but the number may stand in the text, and it must lie within low..high. Otherwise throw
// ValueError: `what`, what was expected, what was found.
int parse_integer(std::string_view what, std::string_view text, int low, int high);
std::uint64_t parse_unsigned(std::string_view what, std::string_view text);
double parse_number(std::string_view what, std::string_view text, double low, double high);
// Three, with blanks or commas between them: one per channel.
std::array<float, 3> parse_numbers(std::string_view what, std::string text, double low,
                                   double high);
bool parse_toggle(std::string_view what,
                  std::string_view text);  // "true" or "on", "false" or "off"
// Where the text stands among the names.
std::size_t parse_name(std::string_view what, std::string_view text,
                       std::span<const std::string_view> names);

// The fewest digits that give the same number back.
std::string number_text(float value);
std::string number_text(double value);
std::string numbers_text(std::span<const float> values);  // with blanks between them

// In quotes for a sentence; long texts are cut.
std::string in_quotes(std::string_view text);

// Throws ValueError: "temperature: expected a number from 0.05 to 20, found "0"."
[[noreturn]] void refuse_value(std::string_view what, const std::string& expected,
                               std::string_view found);

}  // namespace headlight

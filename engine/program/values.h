#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Values as commands, fields and sessions write them: the same in every locale.
namespace headlight {

// Nothing but the number may stand in the text, and it must lie within low..high. Otherwise throw
// CommandError: `what`, what was expected, what was found.
int parse_integer(std::string_view what, std::string_view text, int low, int high);
std::uint64_t parse_unsigned(std::string_view what, std::string_view text);
double parse_number(std::string_view what, std::string_view text, double low, double high);

// The fewest digits that give the same number back.
std::string number_text(float value);
std::string number_text(double value);

// In quotes for a sentence; long texts are cut.
std::string in_quotes(std::string_view text);

}  // namespace headlight

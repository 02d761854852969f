#include "cli/number_option.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "kernels/read_number.h"

namespace headlight::cli {

namespace {

// False unless the whole text is a number of this type.
template <class Number>
bool reads(const std::string& text, Number& number) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = read_number(text.data(), end, number);
    return error == std::errc() && stop == end;
}

}  // namespace

CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
    const std::string range = fmt::format("{} to {}", least, most);
    const auto take = [=](std::string& text) {
        std::uint64_t number = 0;
        if (!reads(text, number) || number < least || number > most)
            return fmt::format("expected a whole number from {}, found \"{}\"", range, text);
        text = std::to_string(number);
        return std::string();
    };
    return {take, ""};
}

CLI::Validator finite(double least, double most) {
    const std::string range = std::isinf(most)
                                  ? fmt::format("a finite number of at least {}", least)
                                  : fmt::format("a number from {} to {}", least, most);
    const auto take = [=](std::string& text) {
        double number = 0;
        if (reads(text, number) && std::isfinite(number) && number >= least && number <= most)
            return std::string();
        return fmt::format("expected {}, found \"{}\"", range, text);
    };
    return {take, ""};
}

}  // namespace headlight::cli

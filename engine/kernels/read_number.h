#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace headlight {

// std::from_chars, with a fallback for standard libraries that lack it for floating point (libc++
// before 20). Like std::from_chars, it accepts no white space, no sign "+" and no hexadecimal
// number, and leaves `value` unchanged on failure.
template <class Number>
std::from_chars_result read_number(const char* first, const char* last, Number& value) {
#ifdef __cpp_lib_to_chars
    return std::from_chars(first, last, value);
#else
    if constexpr (std::is_floating_point_v<Number>) {
        constexpr std::errc kInvalid = std::errc::invalid_argument;
        const std::string_view text(first, static_cast<std::size_t>(last - first));
        const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
        const bool begins =
            !digits.empty() && (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9') ||
                                digits.starts_with("inf") || digits.starts_with("nan"));
        if (!begins) return {first, kInvalid};
        // strtod would continue after "0x".
        const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
        const std::string copy(hexadecimal ? text.substr(0, text.find('0') + 1) : text);
        char* end = nullptr;
        const double number = std::strtod(copy.c_str(), &end);
        const char* stopped = first + (end - copy.c_str());
        if (stopped == first) return {first, kInvalid};
        const auto found = static_cast<Number>(number);
        const bool overflows = found - found != 0 && digits[0] != 'i' && digits[0] != 'n';
        if (overflows) return {stopped, std::errc::result_out_of_range};
        value = found;
        return {stopped, std::errc()};
    } else {
        return std::from_chars(first, last, value);
    }
#endif
}

}  // namespace headlight

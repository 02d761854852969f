#include "kernels/counted.h"

namespace headlight {

std::string plural(std::string_view noun) {
    const std::string one(noun);
    const bool after_vowel = one.size() > 1 && std::string_view("aeiou").find(
                                                   one[one.size() - 2]) != std::string_view::npos;
    if (one.ends_with('y') && !after_vowel) return one.substr(0, one.size() - 1) + "ies";
    return one + (one.ends_with('s') || one.ends_with('x') || one.ends_with("ch") ? "es" : "s");
}

std::string counted(std::int64_t count, std::string_view noun) {
    return std::to_string(count) + " " + (count == 1 ? std::string(noun) : plural(noun));
}

}  // namespace headlight

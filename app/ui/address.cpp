#include "ui/address.h"

#include <charconv>

namespace headlight::ui {

namespace {

bool read_place(std::string_view text, int& place) {
    place = Address::kAll;
    if (text == "*") return true;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, place);
    return read.ec == std::errc{} && read.ptr == end && place >= 0;
}

}  // namespace

std::optional<Address> address_of(std::string_view text) {
    const auto open = text.rfind('[');
    if (open == std::string_view::npos || text.back() != ']') return std::nullopt;
    Address address{text.substr(0, open)};
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    const auto comma = inside.find(',');
    if (comma == std::string_view::npos || !read_place(inside.substr(0, comma), address.row) ||
        !read_place(inside.substr(comma + 1), address.col))
        return std::nullopt;
    return address;
}

}  // namespace headlight::ui

#include "cli/npz_arrays.h"

#include <algorithm>
#include <utility>

#include "files/npy.h"

namespace headlight::cli {

namespace {

// Length of the valid UTF-8 sequence that starts there, in bytes; 0 if there is none.
std::size_t length_at(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const std::size_t length = byte(0) < 0x80U                       ? 1
                               : byte(0) >= 0xC2U && byte(0) < 0xE0U ? 2
                               : byte(0) >= 0xE0U && byte(0) < 0xF0U ? 3
                               : byte(0) >= 0xF0U && byte(0) < 0xF5U ? 4
                                                                     : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    return length;
}

// Converts UTF-8 to UTF-32. Other bytes, as in file names, are encoded as in Python's
// "surrogateescape", so that os.fsencode restores the name.
std::u32string code_points(const std::string& text) {
    std::u32string points;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = length_at(text, at);
        const auto first = static_cast<unsigned char>(text[at]);
        if (length < 2) {
            points += length == 1 ? char32_t{first} : char32_t{0xDC00U + first};
            ++at;
            continue;
        }
        char32_t point = first & (0xFFU >> (length + 1));
        for (std::size_t i = 1; i < length; ++i)
            point = point << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
        points += point;
        at += length;
    }
    return points;
}

}  // namespace

template <>
std::string npy_type<float>() {
    return "<f4";
}
template <>
std::string npy_type<double>() {
    return "<f8";
}
template <>
std::string npy_type<std::int32_t>() {
    return "<i4";
}

template <class Number>
ZipFile npz_array(const std::string& name, const std::vector<std::int64_t>& shape,
                  std::span<const Number> numbers) {
    std::string bytes = npy_header(npy_type<Number>(), shape);
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
    return {name + ".npy", std::move(bytes)};
}
template ZipFile npz_array<float>(const std::string&, const std::vector<std::int64_t>&,
                                  std::span<const float>);
template ZipFile npz_array<double>(const std::string&, const std::vector<std::int64_t>&,
                                   std::span<const double>);
template ZipFile npz_array<std::int32_t>(const std::string&, const std::vector<std::int64_t>&,
                                         std::span<const std::int32_t>);

ZipFile npz_texts(const std::string& name, const std::vector<std::int64_t>& shape,
                  std::span<const std::string> texts) {
    std::vector<std::u32string> all;
    std::size_t width = 1;
    for (const std::string& text : texts) {
        all.push_back(code_points(text));
        width = std::max(width, all.back().size());
    }
    std::string bytes = npy_header("<U" + std::to_string(width), shape);
    for (std::u32string& text : all) {
        text.resize(width, U'\0');
        bytes.append(reinterpret_cast<const char*>(text.data()), width * sizeof(char32_t));
    }
    return {name + ".npy", std::move(bytes)};
}

}  // namespace headlight::cli

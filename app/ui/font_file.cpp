#include "ui/font_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

// After "OpenType 1.9", Microsoft: a directory of tables, all numbers big-endian.
namespace headlight::ui {

namespace {

class Damaged {};

// One font: the file, or the first of a collection.
class Reader {
  public:
    explicit Reader(const std::vector<unsigned char>& file) : file_(file) {
        if (is(0, "ttcf")) start_ = u32(12);
    }

    [[nodiscard]] bool is_font() const {
        constexpr std::array<std::string_view, 3> kinds{{{"\0\1\0\0", 4}, "true", "OTTO"}};
        return std::ranges::any_of(kinds, [&](auto kind) { return is(start_, kind); });
    }

    // Throws Damaged.
    void check() const {
        for (const std::string_view needed : {"cmap", "head", "hhea", "hmtx", "maxp"})
            if (find(needed) == 0) throw Damaged();
        if (find("CFF ") == 0 && (find("glyf") == 0 || find("loca") == 0)) throw Damaged();
        for (std::size_t i = 0; i < count(); ++i) check_table(entry(i));
    }

    [[nodiscard]] float height_in_em() const {
        const std::size_t head = u32(find("head") + 8), hhea = u32(find("hhea") + 8);
        const int ascent = i16(hhea + 4), descent = i16(hhea + 6), em = i16(head + 18);
        return em > 0 && ascent > descent
                   ? static_cast<float>(ascent - descent) / static_cast<float>(em)
                   : 1.0F;
    }

  private:
    [[nodiscard]] bool is(std::size_t at, std::string_view tag) const {
        return at + tag.size() <= file_.size() &&
               std::equal(
                   tag.begin(), tag.end(), file_.begin() + static_cast<std::ptrdiff_t>(at),
                   [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
    }
    [[nodiscard]] std::uint32_t u32(std::size_t at) const {
        if (at + 4 > file_.size()) throw Damaged();
        return std::uint32_t{file_[at]} << 24U | std::uint32_t{file_[at + 1]} << 16U |
               std::uint32_t{file_[at + 2]} << 8U | file_[at + 3];
    }

    [[nodiscard]] int i16(std::size_t at) const {
        return static_cast<std::int16_t>(u32(at) >> 16U);
    }

    // The table directory: 12 bytes, then 16 for each table: tag, checksum, offset, length.
    [[nodiscard]] std::size_t count() const { return u32(start_ + 4) >> 16U; }
    [[nodiscard]] std::size_t entry(std::size_t i) const { return start_ + 12 + 16 * i; }
    [[nodiscard]] std::size_t find(std::string_view tag) const {
        for (std::size_t i = 0; i < count(); ++i)
            if (is(entry(i), tag)) return entry(i);
        return 0;
    }

    // The checksum is the sum of the table's words, the last one padded with zeros. In "head", the
    // third word is excluded, because it depends on the whole file.
    void check_table(std::size_t entry) const {
        const std::size_t place = u32(entry + 8), length = u32(entry + 12);
        if (place + length > file_.size()) throw Damaged();
        const std::size_t left_out = is(entry, "head") ? 8 : length;
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < length; ++i)
            if (i < left_out || i >= left_out + 4)
                sum += std::uint32_t{file_[place + i]} << (24 - 8 * (i % 4));
        if (sum != u32(entry + 4)) throw Damaged();
    }

    const std::vector<unsigned char>& file_;
    std::size_t start_ = 0;
};

const char* what_is_wrong(const std::vector<unsigned char>& file) {
    try {
        const Reader font(file);
        if (!font.is_font()) return "something else";
        font.check();
        return nullptr;
    } catch (const Damaged&) {
        return "a damaged one";
    }
}

}  // namespace

std::vector<unsigned char> read_font(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::vector<unsigned char> file(std::istreambuf_iterator<char>(stream), {});
    const char* wrong = stream.is_open() ? what_is_wrong(file) : "no file that can be read";
    if (wrong == nullptr) return file;
    throw std::runtime_error(path.string() + ": expected a TrueType or OpenType font, found " +
                             wrong + ".");
}

float height_in_em(const std::vector<unsigned char>& font) { return Reader(font).height_in_em(); }

}  // namespace headlight::ui

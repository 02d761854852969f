#include "image/jpeg_tables.h"

#include <array>
#include <bitset>
#include <cstdint>

#include "image/bytes.h"

namespace headlight {
namespace {

// Markers that say something of tables.
constexpr std::uint32_t kFrame = 0xC0, kExtendedFrame = 0xC1, kProgressiveFrame = 0xC2,
                        kHuffman = 0xC4, kStartOfImage = 0xD8, kEndOfImage = 0xD9, kScan = 0xDA,
                        kQuantisation = 0xDB;

// What a JPEG has said of its tables so far. Each function takes a segment, `at` its length, and
// tells what is wrong with it.
class Tables {
  public:
    std::string hear(std::uint32_t marker, Bytes file, std::uint64_t at) {
        switch (marker) {
            case kFrame:
            case kExtendedFrame:
            case kProgressiveFrame:
                progressive_ = marker == kProgressiveFrame;
                frame(file, at);
                return {};
            case kHuffman:
                return huffman(file, at);
            case kQuantisation:
                quantisation(file, at);
                return {};
            case kScan:
                return scan(file, at);
            default:
                return {};
        }
    }

  private:
    // For each table its kind and number, how many codes there are of each of 16 lengths, and one
    // byte a code.
    std::string huffman(Bytes file, std::uint64_t at) {
        const std::uint64_t end = at + big(file, at, 2);
        for (at += 2; at < end;) {
            const std::uint32_t name = big(file, at, 1);
            std::uint32_t codes = 0;
            for (std::uint64_t i = 1; i <= 16; ++i) codes += big(file, at + i, 1);
            if (codes > 256) return "one of more than 256 Huffman codes";
            (name < 16 ? dc_ : ac_).set(name % 16);
            at += 17 + codes;
        }
        return {};
    }

    // For each table its precision and number, and 64 steps of one byte or two.
    void quantisation(Bytes file, std::uint64_t at) {
        const std::uint64_t end = at + big(file, at, 2);
        for (at += 2; at < end;) {
            const std::uint32_t name = big(file, at, 1);
            steps_.set(name % 16);
            at += name < 16 ? 65 : 129;
        }
    }

    // For each component its name, its sampling and its quantisation table.
    void frame(Bytes file, std::uint64_t at) {
        const std::uint32_t components = big(file, at + 7, 1);
        for (std::uint64_t i = 0; i < components; ++i)
            steps_of_[big(file, at + 8 + 3 * i, 1)] = big(file, at + 10 + 3 * i, 1) % 16;
    }

    // For each component its name and its two Huffman tables; then which of the 64 coefficients
    // come, and how many bits of them have come before.
    std::string scan(Bytes file, std::uint64_t at) const {
        const std::uint32_t components = big(file, at + 2, 1);
        const std::uint64_t range = at + 3 + 2 * std::uint64_t{components};
        const bool first_bits = big(file, range + 2, 1) < 16;
        const bool dc = !progressive_ || (big(file, range, 1) == 0 && first_bits);
        const bool ac = !progressive_ || big(file, range, 1) > 0;
        for (std::uint64_t i = 0; i < components; ++i) {
            const std::uint32_t component = big(file, at + 3 + 2 * i, 1);
            const std::uint32_t tables = big(file, at + 4 + 2 * i, 1);
            if ((dc && !dc_.test(tables / 16)) || (ac && !ac_.test(tables % 16)))
                return "none of the Huffman codes that the pixels are written in";
            if (!steps_.test(steps_of_[component]))
                return "none of the steps in which the pixels are written";
        }
        return {};
    }

    std::bitset<16> dc_, ac_, steps_;  // which there are
    std::array<std::uint32_t, 256> steps_of_{};
    bool progressive_ = false;
};

}  // namespace

// Walks from marker to marker as stb_image does, through the pixels too: progressive files have
// tables between their scans.
std::string unsound_jpeg_tables(Bytes file) {
    std::uint64_t at = 0;
    while (big(file, at, 1) == 0xFF) ++at;  // the first marker, too, may be filled up
    if (at == 0 || big(file, at, 1) != kStartOfImage) return {};
    Tables tables;
    for (++at; at < file.size();) {
        const std::uint32_t marker = big(file, at + 1, 1);
        if (big(file, at, 1) != 0xFF || marker == 0xFF) {
            ++at;  // pixels, or a byte that fills up
        } else if (marker == 0 || (marker >= 0xD0 && marker <= 0xD7)) {
            at += 2;  // FF among the pixels, or a restart between them
        } else if (marker == kEndOfImage) {
            return {};  // what follows may be anything: phones append films
        } else {
            if (std::string wrong = tables.hear(marker, file, at + 2); !wrong.empty()) return wrong;
            at += 2 + big(file, at + 2, 2);
        }
    }
    return {};
}

}  // namespace headlight

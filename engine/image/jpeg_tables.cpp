#include "image/jpeg_tables.h"

#include <cstdint>

#include "image/bytes.h"

namespace headlight {
namespace {

constexpr std::uint32_t kTables = 0xC4, kStartOfImage = 0xD8, kEndOfImage = 0xD9;

// One DHT segment, `at` its length: for each table its name, how many codes there are of each of
// 16 lengths, and one byte a code.
bool is_sound(Bytes file, std::uint64_t at) {
    const std::uint64_t end = at + big(file, at, 2);
    for (at += 2; at < end;) {
        std::uint32_t codes = 0;
        for (std::uint64_t i = 1; i <= 16; ++i) codes += big(file, at + i, 1);
        if (codes > 256) return false;
        at += 17 + codes;
    }
    return true;
}

}  // namespace

// Walks from marker to marker as stb_image does, through the pixels too: progressive files have
// tables between their scans.
bool has_sound_jpeg_tables(Bytes file) {
    std::uint64_t at = 0;
    while (big(file, at, 1) == 0xFF) ++at;  // the first marker, too, may be filled up
    if (at == 0 || big(file, at, 1) != kStartOfImage) return true;
    for (++at; at < file.size();) {
        const std::uint32_t marker = big(file, at + 1, 1);
        if (big(file, at, 1) != 0xFF || marker == 0xFF) {
            ++at;  // pixels, or a byte that fills up
        } else if (marker == 0 || (marker >= 0xD0 && marker <= 0xD7)) {
            at += 2;  // FF among the pixels, or a restart between them
        } else if (marker == kEndOfImage) {
            return true;  // what follows may be anything: phones append films
        } else {
            if (marker == kTables && !is_sound(file, at + 2)) return false;
            at += 2 + big(file, at + 2, 2);
        }
    }
    return true;
}

}  // namespace headlight

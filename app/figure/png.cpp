#include "figure/png.h"

// Keeps the library's code local to this file, and ignores its warnings.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#include <cmath>
#pragma GCC diagnostic pop
#include <zlib.h>

namespace headlight::figure {

namespace {

// Signature, and the header chunk with length, name and checksum. Our chunks are inserted after it.
constexpr std::size_t kHeader = 8 + 25;

std::string four_bytes(std::uint32_t number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
    return bytes;
}

std::uint32_t checksum(std::string_view bytes) {
    const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
    return static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()));
}

// An iTXt chunk: keyword, uncompressed, without language and translation, text.
std::string text_chunk(std::string_view text) {
    std::string chunk = "iTXt";
    chunk += std::string_view("Description\0\0\0\0\0", 16);
    chunk += text;
    return four_bytes(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk +
           four_bytes(checksum(chunk));
}

// A pHYs chunk: dots per meter, horizontally and vertically.
std::string size_chunk(double dots_per_cm) {
    const std::string each = four_bytes(static_cast<std::uint32_t>(std::lround(dots_per_cm * 100)));
    const std::string chunk = "pHYs" + each + each + '\1';
    return four_bytes(9) + chunk + four_bytes(checksum(chunk));
}

}  // namespace

std::optional<std::string> png_of(const Pixels& pixels, std::string_view description,
                                  double dots_per_cm) {
    std::string file;
    const auto append = [](void* to, void* bytes, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes),
                                              static_cast<std::size_t>(count));
    };
    if (stbi_write_png_to_func(append, &file, pixels.width, pixels.height, pixels.channels,
                               pixels.bytes.data(), pixels.width * pixels.channels) == 0)
        return std::nullopt;
    if (!description.empty()) file.insert(kHeader, text_chunk(description));
    if (dots_per_cm > 0) file.insert(kHeader, size_chunk(dots_per_cm));
    return file;
}

}  // namespace headlight::figure

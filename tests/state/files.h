#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "files/file.h"

// An in-memory disk.
namespace headlight::testing {

inline Bytes to_bytes(std::string_view text) {
    Bytes bytes(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = static_cast<std::byte>(text[i]);
    return bytes;
}

// A color picture; other seeds give other pixels.
inline Bytes picture(int height, int width, unsigned seed) {
    std::string file = "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
    for (int i = 0; i < height * width * 3; ++i)
        file += static_cast<char>((static_cast<unsigned>(i) * 31U + seed * 97U) % 251U);
    return to_bytes(file);
}

// A layer's file: qkv.weight [3C, D] and proj.weight [C, C], all ones.
inline Bytes layer_file(int channels, int dim) {
    const int qkv = 3 * channels * dim * 4, all = qkv + channels * channels * 4;
    const auto entry = [](const char* name, int rows, int cols, int begin, int end) {
        std::string text = "\"";
        text.append(name).append(R"(":{"dtype":"F32","shape":[)").append(std::to_string(rows));
        text.append(",").append(std::to_string(cols)).append(R"(],"data_offsets":[)");
        text.append(std::to_string(begin)).append(",").append(std::to_string(end));
        return text.append("]}");
    };
    std::string header = "{";
    header.append(entry("qkv.weight", 3 * channels, dim, 0, qkv)).append(",");
    header.append(entry("proj.weight", channels, channels, qkv, all)).append("}");
    std::string file;
    for (int byte = 0; byte < 8; ++byte)
        file += static_cast<char>((static_cast<std::uint64_t>(header.size()) >> (8 * byte)) & 255U);
    file += header;
    for (int i = 0; i < all / 4; ++i) file.append("\0\0\x80\x3f", 4);  // 1.0F
    return to_bytes(file);
}

inline FileReader test_files() {
    const std::map<std::string, Bytes> files{
        {"a.ppm", picture(40, 60, 1)},         {"b.ppm", picture(60, 40, 2)},
        {"c.ppm", picture(33, 33, 3)},         {"text.ppm", to_bytes("this is no picture")},
        {"w.safetensors", layer_file(8, 768)}, {"wide.safetensors", layer_file(8, 99)},
        {"bad.safetensors", to_bytes("nope")},
    };
    return [files](const std::string& name) {
        const auto file = files.find(name);
        if (file == files.end()) throw FileMissing(name + ": there is no such file.");
        return file->second;
    };
}

}  // namespace headlight::testing

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Writes zip archives byte by byte, including invalid ones, without the code under test.
namespace headlight::testing {

inline std::string little(std::uint64_t number, int bytes) {
    std::string text;
    for (; bytes > 0; --bytes, number >>= 8U) text += static_cast<char>(number & 0xFFU);
    return text;
}

inline std::uint32_t crc32_of(std::string_view data) {
    std::uint32_t crc = ~0U;
    for (const char c : data) {
        crc ^= static_cast<std::uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return ~crc;
}

// A member of an archive; unset fields follow from the data.
struct Member {
    std::string name, data;
    std::uint64_t method = 0, flags = 0;
    std::int64_t size = -1, packed = -1, offset = -1, checksum = -1;
    std::string extra{}, local_name{};
};

struct Ending {
    std::int64_t entries = -1, bytes = -1, offset = -1;
    std::uint64_t parts = 0;
    std::string before{}, comment{};  // before: the position of the zip64 directory
};

inline std::uint64_t given(std::int64_t value, std::uint64_t otherwise) {
    return value >= 0 ? static_cast<std::uint64_t>(value) : otherwise;
}

inline std::string zip_of(const std::vector<Member>& members, const Ending& ending = {}) {
    std::string file, directory;
    for (const Member& m : members) {
        const std::uint64_t offset = given(m.offset, file.size());
        const std::string numbers = little(given(m.checksum, crc32_of(m.data)), 4) +
                                    little(given(m.packed, m.data.size()), 4) +
                                    little(given(m.size, m.data.size()), 4);
        const std::string& local = m.local_name.empty() ? m.name : m.local_name;
        for (const std::string& part :
             {"PK\3\4" + little(20, 2), little(m.flags, 2), little(m.method, 2), little(0, 4),
              numbers, little(local.size(), 2), little(0, 2), local, m.data})
            file += part;
        for (const std::string& part :
             {"PK\1\2" + little(20, 2), little(20, 2), little(m.flags, 2), little(m.method, 2),
              little(0, 4), numbers, little(m.name.size(), 2), little(m.extra.size(), 2),
              little(0, 10), little(offset, 4), m.name, m.extra})
            directory += part;
    }
    const std::uint64_t start = file.size();
    return file + directory + ending.before + "PK\5\6" + little(ending.parts, 2) + little(0, 2) +
           little(given(ending.entries, members.size()), 2) +
           little(given(ending.entries, members.size()), 2) +
           little(given(ending.bytes, directory.size()), 4) +
           little(given(ending.offset, start), 4) + little(ending.comment.size(), 2) +
           ending.comment;
}

// An uncompressed deflate block.
inline std::string deflated(const std::string& data) {
    return '\1' + little(data.size(), 2) + little(~data.size(), 2) + data;
}

// An npy file: this header dict, then the data.
inline std::string npy_of(const std::string& dict, const std::string& data) {
    return "\x93NUMPY\1" + little(0, 1) + little(dict.size(), 2) + dict + data;
}
inline std::string npy_of_shape(const std::string& shape, const std::string& data,
                                const std::string& type = "<f4") {
    return npy_of("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n",
                  data);
}

}  // namespace headlight::testing

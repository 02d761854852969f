#include "cli/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

#include "cli/errors.h"
#include "disk/read_file.h"

namespace headlight::cli {

namespace {

// Someone may be writing it: there is no size to be known before its end.
Bytes read_pipe(const std::string& path) {
    const auto refuse = [&](const std::string& why) {
        throw WorkError(path + ": expected a readable file, found: " + why + ".");
    };
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(std::strerror(errno != 0 ? errno : EIO));

    Bytes bytes(1U << 16U);
    std::size_t filled = 0;
    while (file) {
        if (filled == bytes.size()) bytes.resize(2 * bytes.size());
        const auto rest = std::span(bytes).subspan(filled);
        file.read(reinterpret_cast<char*>(rest.data()), static_cast<std::streamsize>(rest.size()));
        filled += static_cast<std::size_t>(file.gcount());
    }
    if (file.bad()) refuse(std::strerror(errno != 0 ? errno : EIO));
    bytes.resize(filled);
    return bytes;
}

}  // namespace

FileBytes read_file(const std::string& path) {
    std::error_code unknown;
    const auto kind = std::filesystem::status(path, unknown).type();
    return kind == std::filesystem::file_type::fifo ? read_pipe(path) : headlight::read_file(path);
}

}  // namespace headlight::cli

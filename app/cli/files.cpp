#include "cli/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

#include "cli/errors.h"

namespace headlight::cli {

std::vector<std::byte> read_file(const std::string& path) {
    const auto refuse = [&](const std::string& why) {
        throw WorkError(path + ": expected a readable file, found: " + why + ".");
    };
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) refuse("a directory");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(std::strerror(errno != 0 ? errno : EIO));

    // The size is a first guess: a pipe has none.
    const auto size = std::filesystem::file_size(path, error);
    std::vector<std::byte> bytes(error ? 1U << 16U : size + 1);
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

}  // namespace headlight::cli

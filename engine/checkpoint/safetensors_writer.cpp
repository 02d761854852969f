#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "checkpoint/safetensors.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw CheckpointError(path + ": cannot be written: " + why + ".");
}

std::string system_reason() {
    return errno != 0 ? std::strerror(errno) : "the system gave no reason";
}

std::uint64_t count_values(const TensorToWrite& tensor) {
    std::uint64_t count = 0;
    for (const MatrixView& block : tensor.blocks)
        count += static_cast<std::uint64_t>(block.rows) * static_cast<std::uint64_t>(block.cols);
    std::uint64_t wanted = 1;
    for (const std::int64_t extent : tensor.shape) wanted *= static_cast<std::uint64_t>(extent);
    if (count != wanted)
        throw CheckpointError("tensor \"" + tensor.name + "\": expected " + std::to_string(wanted) +
                              " values for " + shape_text(tensor.shape) + ", found " +
                              std::to_string(count) + ".");
    return count;
}

std::string header_text(const std::vector<TensorToWrite>& tensors) {
    auto header = nlohmann::ordered_json::object();
    std::uint64_t begin = 0;
    for (const TensorToWrite& tensor : tensors) {
        if (header.contains(tensor.name))
            throw CheckpointError("tensor \"" + tensor.name +
                                  "\": expected every name once, found it twice.");
        const std::uint64_t end = begin + count_values(tensor) * sizeof(float);
        header[tensor.name] = {
            {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
        begin = end;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');  // aligned data, for readers that map the file
    return text;
}

void write_to(std::ostream& out, const std::vector<TensorToWrite>& tensors) {
    const std::string header = header_text(tensors);
    const std::uint64_t length = header.size();
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const TensorToWrite& tensor : tensors)
        for (const MatrixView& block : tensor.blocks)
            for (Index r = 0; r < block.rows; ++r)
                out.write(reinterpret_cast<const char*>(block.row(r)),
                          static_cast<std::streamsize>(block.cols * sizeof(float)));
    out.flush();
}

// Unlike the target in name only, so that the move stays within one file system.
fs::path temporary_beside(const fs::path& target) {
    std::random_device random;
    fs::path name = target;
    name += ".part" + std::to_string(random());
    return name;
}

void write_file(const fs::path& file, const std::string& path,
                const std::vector<TensorToWrite>& tensors) {
    errno = 0;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!out) refuse(path, system_reason());
    write_to(out, tensors);
    out.close();
    if (!out) refuse(path, system_reason());
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors) {
    std::error_code error;
    const auto kind = fs::status(path, error).type();
    if (kind == fs::file_type::directory) refuse(path, "it is a directory");
    // A pipe or a device is written to, not replaced.
    if (kind != fs::file_type::regular && kind != fs::file_type::not_found)
        return write_file(path, path, tensors);

    // A symbolic link stays; the file behind it is replaced.
    fs::path target = fs::weakly_canonical(path, error);
    if (error) target = path;
    const fs::path temporary = temporary_beside(target);
    try {
        write_file(temporary, path, tensors);
        fs::rename(temporary, target, error);
        if (error) refuse(path, error.message());
    } catch (...) {
        fs::remove(temporary, error);
        throw;
    }
}

}  // namespace headlight

#include <bit>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

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

std::string entry_text(const TensorToWrite& tensor, std::uint64_t begin, std::uint64_t end) {
    const nlohmann::ordered_json entry{
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    return nlohmann::json(tensor.name).dump() + ":" + entry.dump();
}

void write_block(std::ostream& out, const MatrixView& block) {
    const auto write = [&](const float* first, Index count) {
        out.write(reinterpret_cast<const char*>(first),
                  static_cast<std::streamsize>(count * static_cast<Index>(sizeof(float))));
    };
    if (block.stride == block.cols) return write(block.data, block.rows * block.cols);
    for (Index r = 0; r < block.rows; ++r) write(block.row(r), block.cols);
}

// Unlike the target in name only, so that the move stays within one file system.
fs::path temporary_beside(fs::path name) {
    std::random_device random;
    name += ".part" + std::to_string(random());
    return name;
}

void copy_into(const fs::path& from, const std::string& path) {
    errno = 0;
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(path, std::ios::binary);
    out << in.rdbuf();
    out.close();
    if (!in || !out) refuse(path, system_reason());
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::string path, std::size_t header_room)
    : path_(std::move(path)),
      // With the braces, and data aligned for readers that map the file.
      header_bytes_((header_room + 2 + 7) / 8 * 8) {
    std::error_code error;
    const auto kind = fs::status(path_, error).type();
    if (kind == fs::file_type::directory) refuse(path_, "it is a directory");
    moves_ = kind == fs::file_type::regular || kind == fs::file_type::not_found;
    // A symbolic link stays; the file behind it is replaced.
    target_ = fs::weakly_canonical(path_, error);
    if (error) target_ = path_;
    temporary_ = temporary_beside(moves_ ? target_ : fs::temp_directory_path() / "headlight");
    errno = 0;
    out_.open(temporary_, std::ios::binary | std::ios::trunc);
    if (!out_) refuse(path_, system_reason());
    const std::string room(sizeof(std::uint64_t) + header_bytes_, ' ');
    out_.write(room.data(), static_cast<std::streamsize>(room.size()));
}

SafetensorsWriter::~SafetensorsWriter() {
    out_.close();
    std::error_code gone;
    fs::remove(temporary_, gone);
}

std::size_t SafetensorsWriter::room_for(const std::string& name, std::size_t rank) {
    constexpr std::size_t kDigits = 20;  // of a number of 64 bits
    return nlohmann::json(name).dump().size() + 64 + (rank + 2) * (kDigits + 1);
}

void SafetensorsWriter::write(const TensorToWrite& tensor) {
    if (!names_.insert(tensor.name).second)
        throw CheckpointError("tensor \"" + tensor.name +
                              "\": expected every name once, found it twice.");
    const std::uint64_t end = next_ + count_values(tensor) * sizeof(float);
    entries_ += (entries_.empty() ? "" : ",") + entry_text(tensor, next_, end);
    next_ = end;
    errno = 0;
    for (const MatrixView& block : tensor.blocks) write_block(out_, block);
    if (!out_) refuse(path_, system_reason());
}

void SafetensorsWriter::write_header() {
    std::string header = "{" + entries_ + "}";
    if (header.size() > header_bytes_)
        throw std::logic_error("a safetensors header with less room than its tensors need");
    header.resize(header_bytes_, ' ');
    const std::uint64_t length = header_bytes_;
    out_.seekp(0);
    out_.write(reinterpret_cast<const char*>(&length), sizeof length);
    out_.write(header.data(), static_cast<std::streamsize>(header.size()));
}

void SafetensorsWriter::finish() {
    errno = 0;
    write_header();
    out_.close();
    if (!out_) refuse(path_, system_reason());
    if (!moves_) return copy_into(temporary_, path_);
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) refuse(path_, error.message());
}

void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors) {
    std::size_t room = 0;
    for (const TensorToWrite& tensor : tensors)
        room += SafetensorsWriter::room_for(tensor.name, tensor.shape.size());
    SafetensorsWriter writer(path, room);
    for (const TensorToWrite& tensor : tensors) writer.write(tensor);
    writer.finish();
}

}  // namespace headlight

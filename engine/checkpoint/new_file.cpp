#include "checkpoint/new_file.h"

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "checkpoint/error.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw CheckpointError(path + ": cannot be written: " + why + ".");
}

std::string system_reason() {
    return errno != 0 ? std::strerror(errno) : "the system gave no reason";
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

NewFile::NewFile(std::string path) : path_(std::move(path)) {
    std::error_code error;
    const auto kind = fs::status(path_, error).type();
    if (kind == fs::file_type::directory) refuse(path_, "it is a directory");
    moves_ = kind == fs::file_type::regular || kind == fs::file_type::not_found;
    target_ = fs::weakly_canonical(path_, error);
    if (error) target_ = path_;
    temporary_ = temporary_beside(moves_ ? target_ : fs::temp_directory_path() / "headlight");
    errno = 0;
    out_.open(temporary_, std::ios::binary | std::ios::trunc);
    if (!out_) refuse(path_, system_reason());
}

NewFile::~NewFile() {
    out_.close();
    std::error_code gone;
    fs::remove(temporary_, gone);
}

void NewFile::write(std::span<const std::byte> bytes) {
    errno = 0;
    out_.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!out_) refuse(path_, system_reason());
}

void NewFile::seek(std::uint64_t position) { out_.seekp(static_cast<std::streamoff>(position)); }

void NewFile::finish() {
    errno = 0;
    out_.close();
    if (!out_) refuse(path_, system_reason());
    if (!moves_) return copy_into(temporary_, path_);
    std::error_code error;
    const fs::file_status before = fs::status(target_, error);  // who may read it stays as it was
    if (fs::exists(before)) fs::permissions(temporary_, before.permissions(), error);
    fs::rename(temporary_, target_, error);
    if (error) refuse(path_, error.message());
}

}  // namespace headlight

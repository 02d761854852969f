#include "files/new_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "files/error.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWriteBlock = std::size_t{1} << 16U;  // bytes per write

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw CheckpointError(path + ": cannot be written: " + why + ".");
}
[[noreturn]] void refuse(const std::string& path) { refuse(path, std::strerror(errno)); }

// In the same folder as the target, so that the move stays within one file system.
fs::path draft_beside(fs::path name) {
    std::random_device random;
    return name += ".part" + std::to_string(random());
}

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
    std::error_code error;
    const auto kind = fs::status(path_, error).type();
    if (kind == fs::file_type::directory) refuse(path_, "it is a directory");
    moves_ = kind == fs::file_type::regular || kind == fs::file_type::not_found;
    target_ = fs::weakly_canonical(path_, error);
    if (error) target_ = path_;
    const fs::path elsewhere = fs::temp_directory_path(error) / "headlight";
    draft_ = draft_beside(moves_ ? target_ : elsewhere);
    waiting_.reserve(kWriteBlock);
    open();
}

void NewFile::open() {
    file_ = system::OpenFile::nameless(folder_of(draft_));
    if (file_) return;
    file_ = system::OpenFile(draft_, system::Access::make);
    if (!file_) refuse(path_);
    named_ = true;
}

NewFile::~NewFile() {
    file_.close();
    std::error_code error;
    if (named_) fs::remove(draft_, error);
}

void NewFile::write(std::span<const std::byte> bytes) {
    if (waiting_.size() + bytes.size() > kWriteBlock) flush();
    if (bytes.size() > kWriteBlock) return write_now(bytes);
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void NewFile::write_now(std::span<const std::byte> bytes) {
    if (file_.write(position_, bytes) < 0) refuse(path_);
    position_ += bytes.size();
}

void NewFile::flush() {
    write_now(waiting_);
    waiting_.clear();
}

void NewFile::seek(std::uint64_t position) {
    flush();
    position_ = position;
}

void NewFile::finish() {
    flush();
    if (moves_) return move_to_target();
    copy_to_target();
}

void NewFile::copy_to_target() {
    system::OpenFile out(path_, system::Access::write);
    if (!out) refuse(path_);
    std::array<std::byte, kWriteBlock> block{};
    for (std::uint64_t at = 0;;) {
        const auto count = file_.read(at, block);
        if (count < 0) refuse(path_);
        if (count == 0) return;
        at += static_cast<std::uint64_t>(count);
        const auto read = std::span(std::as_const(block)).first(static_cast<std::size_t>(count));
        if (out.write_next(read) < 0) refuse(path_);
    }
}

void NewFile::move_to_target() {
    file_.take_permissions_of(target_);  // keeps the permissions of the old file
    if (!named_ && !file_.set_name(draft_)) refuse(path_);
    named_ = true;
    std::error_code error;
    fs::rename(draft_, target_, error);
    if (error) refuse(path_, error.message());
    named_ = false;
}

void write_file(const std::string& path, std::string_view bytes) {
    NewFile file(path);
    file.write(std::as_bytes(std::span(bytes)));
    file.finish();
}

}  // namespace headlight

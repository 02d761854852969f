#include "files/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "files/error.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWriteBlock = std::size_t{1} << 16U;  // bytes that are written at once
constexpr mode_t kForAll = 0666;                       // but for what the person's umask takes

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw CheckpointError(path + ": cannot be written: " + why + ".");
}
[[noreturn]] void refuse(const std::string& path) { refuse(path, std::strerror(errno)); }

void write_all(int number, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const auto count = ::write(number, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(path);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

// Unlike the target in name only, so that the move stays within one file system.
fs::path draft_beside(fs::path name) {
    std::random_device random;
    return name += ".part" + std::to_string(random());
}

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

class OpenToWrite {
  public:
    explicit OpenToWrite(const std::string& path)
        : number_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
        if (number_ < 0) refuse(path);
    }
    ~OpenToWrite() { ::close(number_); }
    OpenToWrite(const OpenToWrite&) = delete;
    OpenToWrite& operator=(const OpenToWrite&) = delete;

    [[nodiscard]] int number() const { return number_; }

  private:
    int number_;
};

// Under which the system knows a file that has no name.
std::string open_name(int number) { return "/proc/self/fd/" + std::to_string(number); }

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
#ifdef O_TMPFILE
    number_ = ::open(folder_of(draft_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kForAll);
    if (number_ >= 0 && ::access(open_name(number_).c_str(), F_OK) == 0) return;
    if (number_ >= 0) ::close(number_);
#endif
    number_ = ::open(draft_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kForAll);
    if (number_ < 0) refuse(path_);
    named_ = true;
}

NewFile::~NewFile() {
    ::close(number_);
    if (named_) ::unlink(draft_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
    if (waiting_.size() + bytes.size() > kWriteBlock) flush();
    if (bytes.size() > kWriteBlock) return write_all(number_, bytes, path_);
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void NewFile::flush() {
    write_all(number_, waiting_, path_);
    waiting_.clear();
}

void NewFile::seek(std::uint64_t position) {
    flush();
    if (::lseek(number_, static_cast<off_t>(position), SEEK_SET) < 0) refuse(path_);
}

void NewFile::finish() {
    flush();
    if (moves_) return move_to_target();
    copy_to_target();
}

void NewFile::copy_to_target() {
    const OpenToWrite out(path_);
    std::array<std::byte, kWriteBlock> block{};
    for (off_t at = 0;;) {
        const auto count = ::pread(number_, block.data(), block.size(), at);
        if (count < 0) refuse(path_);
        if (count == 0) return;
        write_all(out.number(), std::span(block).first(static_cast<std::size_t>(count)), path_);
        at += count;
    }
}

void NewFile::move_to_target() {
    struct stat before {};  // who may read it stays as it was
    if (::stat(target_.c_str(), &before) == 0) (void)::fchmod(number_, before.st_mode & 07777U);
    if (!named_) {
        const std::string nameless = open_name(number_);
        if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, draft_.c_str(), AT_SYMLINK_FOLLOW) != 0)
            refuse(path_);
        named_ = true;
    }
    if (::rename(draft_.c_str(), target_.c_str()) != 0) refuse(path_);
    named_ = false;
}

void write_file(const std::string& path, std::string_view bytes) {
    NewFile file(path);
    file.write(std::as_bytes(std::span(bytes)));
    file.finish();
}

}  // namespace headlight

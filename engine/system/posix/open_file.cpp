#include "system/open_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace headlight::system {

namespace {

namespace fs = std::filesystem;

// The umask removes bits from these.
constexpr mode_t kForAll = 0666, kForOwner = 0600;

int flags_of(Access access) {
    switch (access) {
        case Access::read:
            return O_RDONLY | O_NONBLOCK;
        case Access::write:
            return O_WRONLY;
        case Access::edit:
        case Access::edit_private:
            return O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
        case Access::make:
            return O_RDWR | O_CREAT | O_EXCL;
    }
    return O_RDONLY;
}

// Repeats a call that a signal interrupted.
template <class Call>
auto repeated(const Call& call) {
    for (;;)
        if (const auto result = call(); result >= 0 || errno != EINTR) return result;
}

timespec written(const struct stat& found) {
#ifdef __APPLE__
    return found.st_mtimespec;
#else
    return found.st_mtim;
#endif
}

FileFacts facts_of(const struct stat& found) {
    constexpr std::int64_t kPerSecond = 1'000'000'000;
    return {S_ISREG(found.st_mode)   ? FileFacts::Kind::file
            : S_ISDIR(found.st_mode) ? FileFacts::Kind::folder
                                     : FileFacts::Kind::other,
            static_cast<std::uint64_t>(found.st_size),
            written(found).tv_sec * kPerSecond + written(found).tv_nsec};
}

// The path by which the system refers to a file without a name.
std::string open_name(int number) { return "/proc/self/fd/" + std::to_string(number); }

}  // namespace

OpenFile::OpenFile(const fs::path& path, Access access) {
    const mode_t mode = access == Access::edit_private ? kForOwner : kForAll;
    number_ = repeated([&] { return ::open(path.c_str(), flags_of(access) | O_CLOEXEC, mode); });
}

OpenFile OpenFile::nameless([[maybe_unused]] const fs::path& folder) {
    OpenFile file;
#ifdef O_TMPFILE
    file.number_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kForAll);
    if (file && ::access(open_name(file.number_).c_str(), F_OK) != 0) file.close();
#endif
    return file;
}

void OpenFile::close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

std::ptrdiff_t OpenFile::read_some(std::uint64_t begin, std::span<std::byte> into) const {
    return repeated(
        [&] { return ::pread(number_, into.data(), into.size(), static_cast<off_t>(begin)); });
}

std::ptrdiff_t OpenFile::write_some(std::uint64_t begin, std::span<const std::byte> bytes) {
    return repeated(
        [&] { return ::pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(begin)); });
}

std::ptrdiff_t OpenFile::write_some_next(std::span<const std::byte> bytes) {
    return repeated([&] { return ::write(number_, bytes.data(), bytes.size()); });
}

bool OpenFile::cut(std::uint64_t bytes) {
    return ::ftruncate(number_, static_cast<off_t>(bytes)) == 0;
}

bool OpenFile::sync() { return ::fsync(number_) == 0; }

bool OpenFile::lock() {
    return repeated([&] { return ::flock(number_, LOCK_EX | LOCK_NB); }) == 0;
}

bool OpenFile::facts(FileFacts& found) const {
    struct stat now {};
    if (::fstat(number_, &now) != 0) return false;
    found = facts_of(now);
    return true;
}

bool OpenFile::has_name(const fs::path& path) const {
    struct stat opened {
    }, named{};
    return ::fstat(number_, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool OpenFile::set_name(const fs::path& path) {
    return ::linkat(AT_FDCWD, open_name(number_).c_str(), AT_FDCWD, path.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
}

void OpenFile::take_permissions_of(const fs::path& path) {
    constexpr mode_t kAll = 07777;
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) (void)::fchmod(number_, found.st_mode & kAll);
}

void sync_folder(const fs::path& folder) {
    const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) return;
    (void)::fsync(number);
    ::close(number);
}

bool make_link(const fs::path& target, const fs::path& link) {
    return ::symlink(target.c_str(), link.c_str()) == 0;
}

bool errors_go_to_a_terminal() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace headlight::system

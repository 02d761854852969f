#include "disk/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include "disk/files.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kForAll = 0666;  // less the bits of the umask

[[noreturn]] void refuse_to_write(const fs::path& path, int error) {
    const bool full = error == ENOSPC || error == EDQUOT;
    throw DiskError(
        path.string() + ": cannot be written: " + std::strerror(error) + "." +
        (full ? " Free some space, or set HF_HUB_CACHE to a folder on another disk." : ""));
}

void make_folder_of(const fs::path& path) {
    if (const auto why = make_folder(path.parent_path()))
        throw DiskError(path.parent_path().string() + ": this folder cannot be made: " + *why +
                        ".");
}

// A new name is on the disk for good when its folder is. Some file systems cannot do that.
void sync_folder(const fs::path& folder) {
    const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) return;
    (void)::fsync(number);
    ::close(number);
}

// Always the same name, so that what a process that was killed has left is taken up by the next.
fs::path draft_beside(fs::path path) { return path += ".part"; }

// False where the file system has no symbolic links.
bool make_link(const fs::path& target, const fs::path& draft) {
    while (::symlink(target.c_str(), draft.c_str()) != 0) {
        if (errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP) return false;
        const bool is_left_over = errno == EEXIST;
        if (!is_left_over) refuse_to_write(draft, errno);
        if (::unlink(draft.c_str()) != 0 && errno != ENOENT) refuse_to_write(draft, errno);
    }
    return true;
}

// Another process writes a small file in no time, unless it was stopped while it did.
std::unique_ptr<PartialFile> wait_for(const fs::path& path) {
    constexpr int kMilliseconds = 5000;
    for (int waited = 0; waited < kMilliseconds; ++waited) {
        if (auto file = PartialFile::open(path)) return file;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    refuse_to_write(path, EBUSY);
}

// Whether the open file is the one that has this name: another process may have moved it.
bool is_named(int number, const fs::path& path) {
    struct stat opened {
    }, named{};
    return ::fstat(number, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::unique_ptr<PartialFile> PartialFile::open(const fs::path& path) {
    make_folder_of(path);
    for (;;) {
        const int number = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForAll);
        if (number < 0) refuse_to_write(path, errno);
        if (::flock(number, LOCK_EX | LOCK_NB) != 0) {
            const int error = errno;
            ::close(number);
            if (error == EWOULDBLOCK) return nullptr;
            if (error == EINTR) continue;
            refuse_to_write(path, error);
        }
        if (is_named(number, path))
            return std::unique_ptr<PartialFile>(new PartialFile(path, number));
        ::close(number);
    }
}

PartialFile::PartialFile(fs::path path, int number) : path_(std::move(path)), number_(number) {
    const off_t end = ::lseek(number_, 0, SEEK_END);
    if (end < 0) refuse();
    size_ = static_cast<std::uint64_t>(end);
}

PartialFile::~PartialFile() { ::close(number_); }

void PartialFile::refuse() const { refuse_to_write(path_, errno); }

void PartialFile::read(std::uint64_t begin, std::span<std::byte> into) const {
    while (!into.empty()) {
        const auto count = ::pread(number_, into.data(), into.size(), static_cast<off_t>(begin));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse();
        if (count == 0) throw DiskError(path_.string() + ": another program has changed it.");
        begin += static_cast<std::uint64_t>(count);
        into = into.subspan(static_cast<std::size_t>(count));
    }
}

void PartialFile::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto count = ::pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse();
        size_ += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void PartialFile::cut(std::uint64_t size) {
    if (size >= size_) return;
    if (::ftruncate(number_, static_cast<off_t>(size)) != 0) refuse();
    size_ = size;
}

void PartialFile::move_to(const fs::path& path) {
    make_folder_of(path);
    if (::fsync(number_) != 0) refuse();
    if (!rename_file(path_, path)) refuse_to_write(path, errno);
    path_ = path;
    sync_folder(path.parent_path());
}

void PartialFile::remove() { (void)::unlink(path_.c_str()); }

bool put_link(const fs::path& target, const fs::path& link) {
    make_folder_of(link);
    const fs::path draft = draft_beside(link);
    for (;;) {
        if (!make_link(target, draft)) return false;
        if (rename_file(draft, link)) break;
        // Another process that makes the same link may have moved the draft.
        if (errno != ENOENT) refuse_to_write(link, errno);
    }
    sync_folder(link.parent_path());
    return true;
}

void put_text(const fs::path& path, const std::string& text) {
    make_folder_of(path);
    const auto file = wait_for(draft_beside(path));
    try {
        file->cut(0);
        file->append(std::as_bytes(std::span(text)));
        file->move_to(path);
    } catch (const DiskError&) {
        file->remove();
        throw;
    }
}

std::uint64_t free_bytes(const fs::path& folder) {
    fs::path there = absolute_path(folder);
    while (!is_there(there) && there.has_relative_path()) there = there.parent_path();
    std::error_code unknown;
    const fs::space_info space = fs::space(there, unknown);
    return unknown ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

}  // namespace headlight

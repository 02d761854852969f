#include "disk/partial_file.h"

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

[[noreturn]] void refuse_to_write(const fs::path& path, int error) {
#ifdef EDQUOT
    const bool full = error == ENOSPC || error == EDQUOT;
#else
    const bool full = error == ENOSPC;
#endif
    throw DiskError(
        path.string() + ": cannot be written: " + std::strerror(error) + "." +
        (full ? " Free some space, or set HF_HUB_CACHE to a folder on another disk." : ""));
}

void make_folder_of(const fs::path& path) {
    if (const auto why = make_folder(path.parent_path()))
        throw DiskError(path.parent_path().string() +
                        ": this folder could not be created: " + *why + ".");
}

// A fixed name, so that the next process resumes what a killed one has left.
fs::path draft_beside(fs::path path) { return path += ".part"; }

// False if the file system has no symbolic links.
bool make_link(const fs::path& target, const fs::path& draft) {
    while (!system::make_link(target, draft)) {
        if (errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP) return false;
        const bool is_left_over = errno == EEXIST;
        if (!is_left_over) refuse_to_write(draft, errno);
        std::error_code error;
        fs::remove(draft, error);
        if (error) refuse_to_write(draft, error.default_error_condition().value());
    }
    return true;
}

// Another process finishes a small file quickly, unless it was stopped while writing.
std::unique_ptr<PartialFile> wait_for(const fs::path& path) {
    constexpr int kMilliseconds = 5000;
    for (int waited = 0; waited < kMilliseconds; ++waited) {
        if (auto file = PartialFile::open(path)) return file;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    refuse_to_write(path, EBUSY);
}

}  // namespace

std::unique_ptr<PartialFile> PartialFile::open(const fs::path& path) {
    make_folder_of(path);
    for (;;) {
        system::OpenFile file(path, system::Access::edit);
        if (!file) refuse_to_write(path, errno);
        if (!file.lock()) {
            if (errno == EWOULDBLOCK) return nullptr;
            refuse_to_write(path, errno);
        }
        if (file.has_name(path))
            return std::unique_ptr<PartialFile>(new PartialFile(path, std::move(file)));
    }
}

PartialFile::PartialFile(fs::path path, system::OpenFile file)
    : path_(std::move(path)), file_(std::move(file)) {
    system::FileFacts facts;
    if (!file_.facts(facts)) refuse();
    size_ = facts.bytes;
}

void PartialFile::refuse() const { refuse_to_write(path_, errno); }

void PartialFile::read(std::uint64_t begin, std::span<std::byte> into) const {
    const auto count = file_.read(begin, into);
    if (count < 0) refuse();
    if (static_cast<std::size_t>(count) < into.size())
        throw DiskError(path_.string() +
                        ": another program changed this file during the download. Try again.");
}

void PartialFile::append(std::span<const std::byte> bytes) {
    if (file_.write(size_, bytes) < 0) refuse();
    size_ += bytes.size();
}

void PartialFile::cut(std::uint64_t size) {
    if (size >= size_) return;
    if (!file_.cut(size)) refuse();
    size_ = size;
}

void PartialFile::move_to(const fs::path& path) {
    make_folder_of(path);
    if (!file_.sync()) refuse();
    if (!rename_file(path_, path)) refuse_to_write(path, errno);
    path_ = path;
    system::sync_folder(path.parent_path());
}

void PartialFile::remove() { (void)remove_file(path_); }

bool put_link(const fs::path& target, const fs::path& link) {
    make_folder_of(link);
    const fs::path draft = draft_beside(link);
    for (;;) {
        if (!make_link(target, draft)) return false;
        if (rename_file(draft, link)) break;
        // Another process that makes the same link may have moved the draft.
        if (errno != ENOENT) refuse_to_write(link, errno);
    }
    system::sync_folder(link.parent_path());
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

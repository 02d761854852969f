#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "system/open_file.h"

// Files that are written in pieces, over several runs of the program, and get their name when they
// are complete.
namespace headlight {

// A system call failed. One or two sentences: the file, the reason, and for a full disk what to do.
class DiskError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A file under a temporary name, which only this process writes to. It stays when the program ends,
// is killed or gives up, and the next run resumes it. Everything throws DiskError.
class PartialFile {
  public:
    // Opens or creates it, with its folders. Null if another process has it open.
    static std::unique_ptr<PartialFile> open(const std::filesystem::path& path);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    void read(std::uint64_t begin, std::span<std::byte> into) const;
    void append(std::span<const std::byte> bytes);
    void cut(std::uint64_t size);  // to at most `size` bytes
    // Syncs it to the disk and gives it its final name. Replaces a file of that name.
    void move_to(const std::filesystem::path& path);
    void remove();

  private:
    PartialFile(std::filesystem::path path, system::OpenFile file);
    [[noreturn]] void refuse() const;

    std::filesystem::path path_;
    system::OpenFile file_;
    std::uint64_t size_ = 0;
};

// Makes `link` a symbolic link to `target`, a path relative to the link's folder. Creates the
// folders and replaces what was there. False if the file system has no symbolic links.
bool put_link(const std::filesystem::path& target, const std::filesystem::path& link);
// Writes a small file, whole or not at all, with its folders.
void put_text(const std::filesystem::path& path, const std::string& text);
// Free space of the disk that the folder is on, or will be.
std::uint64_t free_bytes(const std::filesystem::path& folder);

}  // namespace headlight

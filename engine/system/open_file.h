#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

// File operations that the standard library lacks: locks, reading at a position, links, and
// properties of an open file. posix/ and windows/ contain the implementations.
namespace headlight::system {

enum class Access {
    read,          // without blocking: opening a pipe would otherwise wait for a writer
    write,         // an existing file
    edit,          // read and write; creates a missing file and does not follow a link in its place
    edit_private,  // the same, but a new file is private to its owner
    make,          // read and write a new file
};

// Properties of an open file at the time of the call.
struct FileFacts {
    enum class Kind { file, folder, other } kind = Kind::other;
    std::uint64_t bytes = 0;
    std::int64_t written = 0;  // time of the last write, in the system's smallest unit
    friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

// An open file. The destructor closes it; other programs do not inherit it. On failure, functions
// return false or −1 and set errno. New files get the permissions that the umask allows.
class OpenFile {
  public:
    OpenFile() = default;  // no file is open
    OpenFile(const std::filesystem::path& path, Access access);
    // A new file without a name in this folder, until set_name(). No file is open if the system
    // does not support this.
    static OpenFile nameless(const std::filesystem::path& folder);
    ~OpenFile() { close(); }
    OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OpenFile& operator=(OpenFile&& other) noexcept {
        close();
        number_ = std::exchange(other.number_, -1);
        return *this;
    }

    explicit operator bool() const { return number_ >= 0; }
    void close();

    // Reads from `begin` on until `into` is full or the file ends. Returns the number of bytes
    // read.
    [[nodiscard]] std::ptrdiff_t read(std::uint64_t begin, std::span<std::byte> into) const;
    // Writes all of `bytes` and returns their number.
    [[nodiscard]] std::ptrdiff_t write(std::uint64_t begin, std::span<const std::byte> bytes);
    // The same for pipes and devices, which have no positions.
    [[nodiscard]] std::ptrdiff_t write_next(std::span<const std::byte> bytes);
    [[nodiscard]] bool cut(std::uint64_t bytes);
    [[nodiscard]] bool sync();  // returns when everything is on the disk
    // Exclusive until the file is closed; false with EWOULDBLOCK if another process holds the lock.
    [[nodiscard]] bool lock();
    [[nodiscard]] bool facts(FileFacts& found) const;
    // True if the path still names this file: another process may have moved it.
    [[nodiscard]] bool has_name(const std::filesystem::path& path) const;
    [[nodiscard]] bool set_name(const std::filesystem::path& path);  // for a nameless file
    void take_permissions_of(const std::filesystem::path& path);     // if that file exists

  private:
    // One system call each, which may transfer less than requested.
    [[nodiscard]] std::ptrdiff_t read_some(std::uint64_t begin, std::span<std::byte> into) const;
    [[nodiscard]] std::ptrdiff_t write_some(std::uint64_t begin, std::span<const std::byte> bytes);
    [[nodiscard]] std::ptrdiff_t write_some_next(std::span<const std::byte> bytes);

    int number_ = -1;
};

// Makes a new file name durable; it is only on the disk once its folder is. Does nothing if the
// file system does not support this.
void sync_folder(const std::filesystem::path& folder);

// False with errno on failure; EPERM, ENOSYS or EOPNOTSUPP if there are no symbolic links.
[[nodiscard]] bool make_link(const std::filesystem::path& target,
                             const std::filesystem::path& link);

[[nodiscard]] bool errors_go_to_a_terminal();

}  // namespace headlight::system

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

// Files as the operating system has them, where the standard library does not say enough: locks,
// reading at a position, links, what an open file is. posix/ and windows/ each hold an
// implementation.
namespace headlight::system {

enum class Access {
    read,   // without waiting: opening a pipe would last until someone writes into it
    write,  // a file that is there
    edit,   // read and write; a missing file is made, and a link in its place is not followed
    edit_private,  // the same, but a file that is made is for its owner alone
    make,          // read and write a new file
};

// What an open file was when it was asked.
struct FileFacts {
    enum class Kind { file, folder, other } kind = Kind::other;
    std::uint64_t bytes = 0;
    std::int64_t written = 0;  // when it was last written, in the system's smallest steps
    friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

// An open file, closed by the destructor, and not inherited by other programs. Functions that
// return bool or a count set errno where they fail, with false or −1. New files have the
// permissions that the person's umask leaves.
class OpenFile {
  public:
    OpenFile() = default;  // no file is open
    OpenFile(const std::filesystem::path& path, Access access);
    // A new file without a name in this folder, until set_name(). No file is open where the system
    // has none of this kind.
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

    // The number of bytes that were read from `begin` on: all of `into`, or as many as the file
    // has.
    [[nodiscard]] std::ptrdiff_t read(std::uint64_t begin, std::span<std::byte> into) const;
    // The number of `bytes`, all of which were written.
    [[nodiscard]] std::ptrdiff_t write(std::uint64_t begin, std::span<const std::byte> bytes);
    // The same for pipes and devices, which have no positions.
    [[nodiscard]] std::ptrdiff_t write_next(std::span<const std::byte> bytes);
    [[nodiscard]] bool cut(std::uint64_t bytes);
    [[nodiscard]] bool sync();  // all is on the disk when it returns
    // For itself alone, until it is closed; false with EWOULDBLOCK where another has it.
    [[nodiscard]] bool lock();
    [[nodiscard]] bool facts(FileFacts& found) const;
    // Whether it is the file of this name: another process may have moved it.
    [[nodiscard]] bool has_name(const std::filesystem::path& path) const;
    [[nodiscard]] bool set_name(const std::filesystem::path& path);  // of a nameless file
    void take_permissions_of(const std::filesystem::path& path);     // where there is such a file

  private:
    // One call of the system, which may read or write less than it could.
    [[nodiscard]] std::ptrdiff_t read_some(std::uint64_t begin, std::span<std::byte> into) const;
    [[nodiscard]] std::ptrdiff_t write_some(std::uint64_t begin, std::span<const std::byte> bytes);
    [[nodiscard]] std::ptrdiff_t write_some_next(std::span<const std::byte> bytes);

    int number_ = -1;
};

// A new name is on the disk for good when its folder is. Does nothing where the file system cannot
// do that.
void sync_folder(const std::filesystem::path& folder);

// False with errno; EPERM, ENOSYS or EOPNOTSUPP where there are no symbolic links.
[[nodiscard]] bool make_link(const std::filesystem::path& target,
                             const std::filesystem::path& link);

[[nodiscard]] bool errors_go_to_a_terminal();

}  // namespace headlight::system

#include "disk/read_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>

namespace headlight {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error(path + ": " + why + ".");
}

class OpenFile {
  public:
    // Without waiting: opening a pipe would last until someone writes into it.
    explicit OpenFile(const std::string& path)
        : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (number_ >= 0) return;
        if (errno == ENOENT || errno == ENOTDIR)
            throw FileMissing(path + ": there is no such file.");
        refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
    }
    ~OpenFile() { ::close(number_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] std::size_t size() const {
        struct stat state {};
        if (::fstat(number_, &state) != 0)
            refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
        if (S_ISDIR(state.st_mode)) refuse(path_, "expected a file, found a folder");
        // A pipe or a device may have no end.
        if (!S_ISREG(state.st_mode)) refuse(path_, "expected a file, found a pipe or device");
        const auto size = static_cast<std::uintmax_t>(state.st_size);
        if (size > kMaxFileBytes)
            refuse(path_, "has " + std::to_string(size) + " bytes; expected at most " +
                              std::to_string(kMaxFileBytes));
        return size;
    }

    [[nodiscard]] FileBytes copy(std::size_t size) const {
        Bytes bytes(size);
        for (std::size_t filled = 0; filled < size;) {
            const auto count = ::read(number_, bytes.data() + filled, size - filled);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
            if (count == 0) refuse(path_, "ended before all of it was read");
            filled += static_cast<std::size_t>(count);
        }
        return bytes;
    }

    [[nodiscard]] FileBytes map(std::size_t size) const {
        void* first = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, number_, 0);
        if (first == MAP_FAILED) return copy(size);  // some file systems cannot
        const std::shared_ptr<void> owner(first, [size](void* start) { ::munmap(start, size); });
        return {std::span(static_cast<const std::byte*>(first), size), owner};
    }

  private:
    const std::string& path_;
    int number_;
};

}  // namespace

FileBytes read_file(const std::string& path) {
    const OpenFile file(path);
    const std::size_t size = file.size();
    return size < kMappedFileBytes ? file.copy(size) : file.map(size);
}

}  // namespace headlight

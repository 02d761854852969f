#include "disk/read_file.h"

#include <fcntl.h>
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
    explicit OpenFile(std::string path)
        : path_(std::move(path)),
          number_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (number_ < 0 && (errno == ENOENT || errno == ENOTDIR))
            throw FileMissing(path_ + ": there is no such file.");
        if (number_ < 0) refuse(path_, std::string("cannot be opened: ") + std::strerror(errno));
        opened_ = state();
    }
    ~OpenFile() { ::close(number_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] std::uint64_t size() const {
        if (S_ISDIR(opened_.st_mode)) refuse(path_, "expected a file, found a folder");
        // A pipe or a device may have no end.
        if (!S_ISREG(opened_.st_mode)) refuse(path_, "expected a file, found a pipe or device");
        const auto size = static_cast<std::uint64_t>(opened_.st_size);
        if (size > kMaxFileBytes)
            refuse(path_, "has " + std::to_string(size) + " bytes; expected at most " +
                              std::to_string(kMaxFileBytes));
        return size;
    }

    // From `begin` on, for as long as the file is the one that was opened.
    void read(std::uint64_t begin, std::span<std::byte> into) const {
        while (!into.empty()) {
            const auto count =
                ::pread(number_, into.data(), into.size(), static_cast<off_t>(begin));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
            if (count == 0) refuse_changed();
            begin += static_cast<std::uint64_t>(count);
            into = into.subspan(static_cast<std::size_t>(count));
        }
        const struct stat now = state();
        if (now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec)
            refuse_changed();
    }

  private:
    [[nodiscard]] struct stat state() const {
        struct stat found {};
        if (::fstat(number_, &found) != 0)
            refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
        return found;
    }
    [[noreturn]] void refuse_changed() const {
        refuse(path_, "changed while it was read. Open it again when it is complete");
    }

    std::string path_;
    int number_;
    struct stat opened_ {};
};

}  // namespace

File read_file(const std::string& path) {
    const auto file = std::make_shared<const OpenFile>(path);
    const std::uint64_t size = file->size();
    File content(
        size, [file](std::uint64_t begin, std::span<std::byte> into) { file->read(begin, into); });
    if (size < kLargeFileBytes) return content.bytes();
    return content;
}

std::string read_text(const std::string& path) {
    const FileBytes bytes = read_file(path).bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace headlight

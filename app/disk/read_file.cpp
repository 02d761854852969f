#include "disk/read_file.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>

#include "system/open_file.h"

namespace headlight {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error(path + ": " + why + ".");
}

class FileToRead {
  public:
    explicit FileToRead(std::string path)
        : path_(std::move(path)), file_(path_, system::Access::read) {
        if (!file_ && (errno == ENOENT || errno == ENOTDIR))
            throw FileMissing(path_ + ": there is no such file.");
        if (!file_) refuse(path_, std::string("cannot be opened: ") + std::strerror(errno));
        opened_ = facts();
    }

    [[nodiscard]] std::uint64_t size() const {
        if (opened_.kind == system::FileFacts::Kind::folder)
            refuse(path_, "expected a file, found a folder");
        // A pipe or a device may be endless.
        if (opened_.kind != system::FileFacts::Kind::file)
            refuse(path_, "expected a file, found a pipe or device");
        if (opened_.bytes > kMaxFileBytes)
            refuse(path_, "has " + std::to_string(opened_.bytes) +
                              " bytes, and Headlight reads at most " +
                              std::to_string(kMaxFileBytes));
        return opened_.bytes;
    }

    // Reads from `begin` on; throws if the file has changed since it was opened.
    void read(std::uint64_t begin, std::span<std::byte> into) const {
        const auto count = file_.read(begin, into);
        if (count < 0) refuse_unreadable();
        if (static_cast<std::size_t>(count) < into.size() || facts() != opened_) refuse_changed();
    }

  private:
    [[nodiscard]] system::FileFacts facts() const {
        system::FileFacts found;
        if (!file_.facts(found)) refuse_unreadable();
        return found;
    }
    [[noreturn]] void refuse_unreadable() const {
        refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
    }
    [[noreturn]] void refuse_changed() const {
        refuse(path_, "changed while it was read. Open it again when it is complete");
    }

    std::string path_;
    system::OpenFile file_;
    system::FileFacts opened_;
};

}  // namespace

File read_file(const std::string& path) {
    const auto file = std::make_shared<const FileToRead>(path);
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

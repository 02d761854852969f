#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stop.h"

// The engine gets files as bytes: from disk, from a browser, or from a test.
namespace headlight {

using Bytes = std::vector<std::byte>;

// Bytes and the owner of their memory. Copies share both.
class FileBytes {
  public:
    FileBytes() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): bytes are the content of a file
    FileBytes(Bytes bytes) {
        auto owner = std::make_shared<const Bytes>(std::move(bytes));
        bytes_ = *owner;
        owner_ = std::move(owner);
    }
    FileBytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
        : bytes_(bytes), owner_(std::move(owner)) {}

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    // Keeps the bytes alive and at their address.
    [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

    // NOLINTNEXTLINE(google-explicit-constructor): for readers that do not keep the file
    operator std::span<const std::byte>() const { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
    std::shared_ptr<const void> owner_;
};

// Fills `into` with the bytes from `begin` on. Must be thread-safe. Throws std::runtime_error with
// a message of one sentence.
using ReadAt = std::function<void(std::uint64_t begin, std::span<std::byte> into)>;

// A file, or a part of one. The bytes are in memory, or are only read when requested. Copies share
// them.
class File {
  public:
    File() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a file that is in memory already
    File(FileBytes bytes) : bytes_(std::move(bytes)), size_(bytes_.size()) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    File(Bytes bytes) : File(FileBytes(std::move(bytes))) {}
    File(std::uint64_t size, ReadAt read)
        : size_(size), read_(std::make_shared<const ReadAt>(std::move(read))) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] File part(std::uint64_t begin, std::uint64_t size) const;  // must be within the
                                                                             // file

    // Address of the bytes; null if they must be read first.
    [[nodiscard]] const std::byte* in_memory() const { return read_ ? nullptr : bytes_.data(); }
    [[nodiscard]] const std::shared_ptr<const void>& owner() const { return bytes_.owner(); }
    // Throws the exceptions of ReadAt.
    void read(std::uint64_t begin, std::span<std::byte> into) const;
    // Loads the whole file into memory. Throws the exceptions of ReadAt, and Stopped.
    [[nodiscard]] FileBytes bytes(const StopFlag& stop = {}) const;

  private:
    FileBytes bytes_;
    std::uint64_t begin_ = 0, size_ = 0;
    std::shared_ptr<const ReadAt> read_;  // null: bytes_ are the file
};

// Opens a file by name. Throws FileMissing if there is no such file, and std::runtime_error with a
// message of one sentence for other failures.
using FileReader = std::function<File(const std::string&)>;

// A separate type, so that callers can try optional files (config.json).
class FileMissing : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The path of `file` in the folder of `path`.
std::string beside(const std::string& path, const std::string& file);

}  // namespace headlight

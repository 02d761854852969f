#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Files reach the engine as bytes: from the disk, from a browser, from a test.
namespace headlight {

using Bytes = std::vector<std::byte>;

// The content of a file, and whoever keeps it in memory: a vector or a mapping. Copies share it.
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
    // Keeps the bytes where they are for as long as it lives.
    [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

    // NOLINTNEXTLINE(google-explicit-constructor): for readers that do not keep the file
    operator std::span<const std::byte>() const { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
    std::shared_ptr<const void> owner_;
};

// Gives a file's content by its name; throws std::runtime_error with one sentence when it cannot,
// FileMissing when there is none of that name.
using FileReader = std::function<FileBytes(const std::string&)>;

// Apart from other failures, so that a file which may be there can be asked for (config.json).
class FileMissing : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace headlight

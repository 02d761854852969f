#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace headlight::hub {

// The hash of a file that comes in pieces, of the kind that names it on the Hub.
class Digest {
  public:
    // expected: 64 hex digits, sha256; or 40, git's sha1 of a blob of `size` bytes.
    Digest(const std::string& expected, std::uint64_t size);
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    void add(std::span<const std::byte> bytes);
    // In hex digits. After this nothing can be added.
    [[nodiscard]] std::string finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headlight::hub

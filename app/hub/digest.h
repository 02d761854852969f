#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace headlight::hub {

// Computes the hash of a file that arrives in pieces, of the kind that the Hub uses for it.
class Digest {
  public:
    // expected: 64 hex digits, sha256; or 40, git's sha1 of a blob of `size` bytes.
    Digest(const std::string& expected, std::uint64_t size);
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    void add(std::span<const std::byte> bytes);
    // Hex digits. Add nothing after this.
    [[nodiscard]] std::string finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headlight::hub

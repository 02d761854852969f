#include "hub/digest.h"

#include <windows.h>
#include <algorithm>
#include <array>
#include <string_view>
// Included after windows.h, whose types it uses.
#include <bcrypt.h>

#include "hub/error.h"

namespace headlight::hub {

namespace {

void expect(NTSTATUS status) {
    if (status < 0) throw HubError("Windows could not compute a hash.");
}

}  // namespace

struct Digest::State {
    explicit State(const wchar_t* kind) {
        expect(BCryptOpenAlgorithmProvider(&provider, kind, nullptr, 0));
        expect(BCryptCreateHash(provider, &hash, nullptr, 0, nullptr, 0, 0));
    }
    ~State() {
        if (hash != nullptr) BCryptDestroyHash(hash);
        if (provider != nullptr) BCryptCloseAlgorithmProvider(provider, 0);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    BCRYPT_ALG_HANDLE provider = nullptr;
    BCRYPT_HASH_HANDLE hash = nullptr;
};

Digest::Digest(const std::string& expected, std::uint64_t size) {
    constexpr std::size_t kSha256Digits = 64;
    const bool is_sha256 = expected.size() == kSha256Digits;
    state_ = std::make_unique<State>(is_sha256 ? BCRYPT_SHA256_ALGORITHM : BCRYPT_SHA1_ALGORITHM);
    if (is_sha256) return;
    const std::string head = "blob " + std::to_string(size);
    add(std::as_bytes(std::span(head.c_str(), head.size() + 1)));
}

Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = 1U << 30U;  // a call counts in 32 bits
    while (!bytes.empty()) {
        const auto piece = bytes.first(std::min(bytes.size(), kMost));
        auto* const first = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(piece.data()));
        expect(BCryptHashData(state_->hash, first, static_cast<ULONG>(piece.size()), 0));
        bytes = bytes.subspan(piece.size());
    }
}

std::string Digest::finish() {
    DWORD count = 0, copied = 0;
    expect(BCryptGetProperty(state_->hash, BCRYPT_HASH_LENGTH,
                             reinterpret_cast<unsigned char*>(&count), sizeof(count), &copied, 0));
    std::array<unsigned char, 64> bytes{};
    expect(BCryptFinishHash(state_->hash, bytes.data(), count, 0));
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (DWORD i = 0; i < count; ++i) text += {kDigits[bytes[i] / 16U], kDigits[bytes[i] % 16U]};
    return text;
}

}  // namespace headlight::hub

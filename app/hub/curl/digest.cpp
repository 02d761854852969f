#include "hub/digest.h"

#ifdef HEADLIGHT_DOWNLOADS
#include <openssl/evp.h>
#endif

#include <array>

#include "hub/error.h"
#include "hub/transport.h"

namespace headlight::hub {

#ifndef HEADLIGHT_DOWNLOADS

struct Digest::State {};
Digest::Digest(const std::string& /*expected*/, std::uint64_t /*size*/) {
    throw HubError(why_no_transport());
}
Digest::~Digest() = default;
void Digest::add(std::span<const std::byte> /*bytes*/) {}
std::string Digest::finish() { return ""; }

#else

struct Digest::State {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    State() = default;
    ~State() { EVP_MD_CTX_free(context); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

namespace {

void expect(int success) {
    if (success != 1) throw HubError("libcrypto could not compute a hash.");
}

}  // namespace

Digest::Digest(const std::string& expected, std::uint64_t size)
    : state_(std::make_unique<State>()) {
    constexpr std::size_t kSha256Digits = 64;
    const bool is_sha256 = expected.size() == kSha256Digits;
    expect(EVP_DigestInit_ex(state_->context, is_sha256 ? EVP_sha256() : EVP_sha1(), nullptr));
    if (is_sha256) return;
    const std::string head = "blob " + std::to_string(size);
    add(std::as_bytes(std::span(head.c_str(), head.size() + 1)));
}

Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
    expect(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

std::string Digest::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned count = 0;
    expect(EVP_DigestFinal_ex(state_->context, bytes.data(), &count));
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += {kDigits[bytes[i] / 16U], kDigits[bytes[i] % 16U]};
    return text;
}

#endif

}  // namespace headlight::hub

#pragma once

#include <string>
#include <string_view>

// Addresses on the web, as far as a download needs them (RFC 3986).
namespace headlight::hub {

struct Address {
    std::string scheme;  // "https" or "http", small letters
    std::string host;    // small letters; of IPv6 with its brackets
    int port = 0;
    std::string rest;  // path and query, from "/" on

    [[nodiscard]] std::string text() const;
    // "huggingface.co", or with the port where it is not the usual one: for people.
    [[nodiscard]] std::string place() const;
    [[nodiscard]] bool is_loopback() const;  // 127.x.x.x, [::1] or localhost
    // Whether scheme, host and port are the same, so that a token for one may be sent to the other.
    [[nodiscard]] bool is_same_server(const Address& other) const;
};

// Throws HubError: another scheme, a name or password before the host, no host, characters that do
// not belong in an address.
Address parse_address(std::string_view text);

// Where a redirect leads: an address, or one that counts from `from`: "/path", "//host/path",
// "file". Throws as parse_address does, and where it leads from https to http; http is for the
// loopback address only.
Address redirected(const Address& from, std::string_view location);

// HF_ENDPOINT, else the Hub's own. Throws HubError: not https, except for the loopback address.
Address endpoint();

// Percent-encoded except for letters, digits, "-._~" and the characters in `kept`.
std::string encoded(std::string_view text, std::string_view kept = "");

// The address of a file of a repository: {base}/{repository}/resolve/{revision}/{path}.
Address file_address(const Address& base, const std::string& repository,
                     const std::string& revision, const std::string& path);
// {base}/api/models/{repository}{more}
Address api_address(const Address& base, const std::string& repository, const std::string& more);

}  // namespace headlight::hub

#pragma once

#include <string>
#include <string_view>

// Web addresses, as far as downloads need them (RFC 3986).
namespace headlight::hub {

struct Address {
    std::string scheme;  // "https" or "http", lowercase
    std::string host;    // lowercase; an IPv6 address includes its brackets
    int port = 0;
    std::string rest;  // path and query, starting with "/"

    [[nodiscard]] std::string text() const;
    // "huggingface.co", with the port if it is not the default; for messages.
    [[nodiscard]] std::string place() const;
    [[nodiscard]] bool is_loopback() const;  // 127.x.x.x, [::1] or localhost
    // Whether scheme, host and port are equal, so that a token for one may be sent to the other.
    [[nodiscard]] bool is_same_server(const Address& other) const;
};

// Throws HubError for another scheme, a user name or password, a missing host, or invalid
// characters.
Address parse_address(std::string_view text);

// The target of a redirect: an address, or one relative to `from`: "/path", "//host/path", "file".
// Throws as parse_address does, and for a redirect from https to http. Only the loopback address
// may use http.
Address redirected(const Address& from, std::string_view location);

// HF_ENDPOINT, or the Hub itself. Throws HubError if it is not https; the loopback address may use
// http.
Address endpoint();

// Percent-encoded except for letters, digits, "-._~" and the characters in `kept`.
std::string encoded(std::string_view text, std::string_view kept = "");

// The address of a file of a repository: {base}/{repository}/resolve/{revision}/{path}.
Address file_address(const Address& base, const std::string& repository,
                     const std::string& revision, const std::string& path);
// {base}/api/models/{repository}{more}
Address api_address(const Address& base, const std::string& repository, const std::string& more);

}  // namespace headlight::hub

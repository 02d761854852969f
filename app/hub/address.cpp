#include "hub/address.h"

#include <algorithm>
#include <charconv>

#include "disk/environment.h"
#include "hub/error.h"
#include "kernels/ascii.h"

namespace headlight::hub {

namespace {

constexpr std::string_view kHub = "https://huggingface.co";
constexpr int kHttps = 443, kHttp = 80;

bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

[[noreturn]] void refuse(const std::string& what) {
    throw HubError("Headlight does not follow this server address: " + what + ".");
}

int port_of(std::string_view digits, int usual) {
    if (digits.empty()) return usual;
    int port = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (end.ec != std::errc() || end.ptr != digits.data() + digits.size() || port < 1 ||
        port > 65535)
        refuse("its port is not a number from 1 to 65535");
    return port;
}

// Splits "host:port" or "[::1]:port".
void set_server(Address& address, std::string_view server) {
    if (server.find('@') != server.npos) refuse("it has a name or password before the host");
    const std::size_t end = server.starts_with('[') ? server.find(']') : 0;
    if (end == server.npos) refuse("a bracket is missing");
    const std::size_t colon = server.find(':', end);
    address.host = in_lower_case(server.substr(0, colon));
    const auto belongs = [](char c) { return is_plain(c) || c == ':' || c == '[' || c == ']'; };
    if (address.host.empty() || !std::ranges::all_of(address.host, belongs))
        refuse("it names no host");
    address.port = port_of(colon == server.npos ? "" : server.substr(colon + 1),
                           address.scheme == "https" ? kHttps : kHttp);
}

}  // namespace

std::string Address::text() const {
    return scheme + "://" + host + ":" + std::to_string(port) + rest;
}

std::string Address::place() const {
    const bool usual = port == (scheme == "https" ? kHttps : kHttp);
    return usual ? host : host + ":" + std::to_string(port);
}

bool Address::is_loopback() const {
    const bool digits =
        std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    return host == "localhost" || host == "[::1]" || (digits && host.starts_with("127."));
}

bool Address::is_same_server(const Address& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
}

Address parse_address(std::string_view text) {
    constexpr std::size_t kLongest = 16384;
    const auto belongs = [](char c) { return c > ' ' && c < 127 && c != '\\' && c != '"'; };
    if (text.size() > kLongest || !std::ranges::all_of(text, belongs))
        refuse("it is too long, or has characters that are not allowed in an address");
    const std::size_t colon = text.find("://");
    if (colon == text.npos) refuse("it does not begin with https://");
    Address address;
    address.scheme = in_lower_case(text.substr(0, colon));
    if (address.scheme != "https" && address.scheme != "http")
        refuse("it does not begin with https://");
    text.remove_prefix(colon + 3);
    const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
    set_server(address, text.substr(0, end));
    const std::string_view rest = text.substr(end);
    address.rest = rest.substr(0, rest.find('#'));
    if (!address.rest.starts_with('/')) address.rest = "/" + address.rest;
    return address;
}

Address redirected(const Address& from, std::string_view location) {
    Address to = from;
    if (location.starts_with("//")) {
        to = parse_address(from.scheme + ":" + std::string(location));
    } else if (location.starts_with('/')) {
        to = parse_address(Address{from.scheme, from.host, from.port, ""}.text() +
                           std::string(location));
    } else if (location.find("://") != location.npos &&
               location.find("://") < location.find_first_of("/?#")) {
        to = parse_address(location);
    } else {
        const std::string path = from.rest.substr(0, from.rest.find('?'));
        to = parse_address(
            Address{from.scheme, from.host, from.port, path.substr(0, path.rfind('/') + 1)}.text() +
            std::string(location));
    }
    const bool is_local = from.is_loopback() && from.scheme == "http" && to.is_loopback();
    if (to.scheme != "https" && !is_local)
        throw HubError(from.place() + " redirects to " + to.place() +
                       " without encryption. Headlight follows https only.");
    return to;
}

Address endpoint() {
    const std::string set = environment("HF_ENDPOINT");
    Address address;
    try {
        address = parse_address(set.empty() ? kHub : set);
    } catch (const HubError&) {
        throw HubError("HF_ENDPOINT: expected an address such as " + std::string(kHub) +
                       ", found \"" + set.substr(0, 80) + "\".");
    }
    if (address.scheme != "https" && !address.is_loopback())
        throw HubError("HF_ENDPOINT: expected an address that begins with https://, found \"" +
                       set.substr(0, 80) +
                       "\". http is allowed only for this machine (127.0.0.1, localhost).");
    if (address.rest.find('?') != std::string::npos)
        throw HubError("HF_ENDPOINT: expected an address without \"?\", found one.");
    while (address.rest.ends_with('/')) address.rest.pop_back();
    return address;
}

std::string encoded(std::string_view text, std::string_view kept) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (is_plain(c) || kept.find(c) != kept.npos) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += {'%', kDigits[byte / 16U], kDigits[byte % 16U]};
    }
    return out;
}

Address file_address(const Address& base, const std::string& repository,
                     const std::string& revision, const std::string& path) {
    Address address = base;
    address.rest +=
        "/" + encoded(repository, "/") + "/resolve/" + encoded(revision) + "/" + encoded(path, "/");
    return address;
}

Address api_address(const Address& base, const std::string& repository, const std::string& more) {
    Address address = base;
    address.rest += "/api/models/" + encoded(repository, "/") + more;
    return address;
}

}  // namespace headlight::hub

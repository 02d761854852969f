#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hub/address.h"
#include "hub/error.h"
#include "kernels/stop.h"

// One question to a server and its answer: all that is asked of a library for the network.
namespace headlight::hub {

// Byte `begin` to `last`, or to the end of the file.
struct ByteRange {
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> last;
};

struct Request {
    Address address;
    bool head = false;    // the header alone
    std::string token{};  // for this server; empty: none
    std::optional<ByteRange> range{};
};

struct Response {
    int status = 0;
    std::map<std::string, std::string> headers;  // by their names in small letters

    // Empty where there is none.
    [[nodiscard]] std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? "" : found->second;
    }
};

// The connection broke, or none came about; what arrived until then is not lost.
class ConnectionError : public HubError {
  public:
    using HubError::HubError;
};

class Transport {
  public:
    // Called for each piece of the answer's body; false: no more is wanted, which is no error.
    using Sink = std::function<bool(const Response&, std::span<const std::byte>)>;

    virtual ~Transport() = default;
    // Follows no redirect. Throws ConnectionError; Stopped; what the sink throws.
    virtual Response exchange(const Request& request, const Sink& sink, const StopFlag& stop) = 0;
};

// By libcurl, on Windows by WinHTTP. Null where Headlight was built without libcurl, or without
// libcrypto.
std::unique_ptr<Transport> new_transport();
// One sentence for that case: what to install.
std::string why_no_transport();

// The lines of a request's header.
std::vector<std::string> header_lines(const Request& request);
// What both do with a line of the answer's header, the first included.
void take_header_line(Response& response, std::string_view line);
enum class ConnectionTrouble { certificate, none, broken };
// Throws HubError for a certificate, ConnectionError otherwise; `reason`: the library's own words.
[[noreturn]] void refuse_connection(const Address& address, ConnectionTrouble trouble,
                                    const std::string& reason);

}  // namespace headlight::hub

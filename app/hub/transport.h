#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
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

// One request to a server and its response: the interface to a network library.
namespace headlight::hub {

// Bytes `begin` to `last`, or to the end of the file.
struct ByteRange {
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> last;
};

struct Request {
    Address address;
    bool head = false;    // request the header alone
    std::string token{};  // for this server; empty: none
    std::optional<ByteRange> range{};
};

struct Response {
    int status = 0;
    std::map<std::string, std::string> headers;  // by lowercase name

    // Empty if there is none.
    [[nodiscard]] std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? "" : found->second;
    }
};

// The connection failed or broke; what arrived until then is kept.
class ConnectionError : public HubError {
  public:
    using HubError::HubError;
};

// Thrown by exchange() in a browser, where no thread may wait for the network: the response has not
// arrived yet. Once news() has changed, the caller repeats everything that led to the request. The
// transport keeps all responses, so each repetition gets further.
class Pending : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "pending"; }
};

class Transport {
  public:
    // Called for each piece of the response body. Returns false to stop; that is no error.
    using Sink = std::function<bool(const Response&, std::span<const std::byte>)>;

    virtual ~Transport() = default;
    // Follows no redirects. Throws ConnectionError; Stopped; and what the sink throws.
    virtual Response exchange(const Request& request, const Sink& sink, const StopFlag& stop) = 0;

    // A browser follows redirects itself and hides them with their headers. It sends no token.
    [[nodiscard]] virtual bool is_in_browser() const { return false; }
    // Changes when more of a pending response has arrived.
    [[nodiscard]] virtual std::uint64_t news() const { return 0; }
};

// Uses libcurl, on Windows WinHTTP, in a page the browser's fetch. Null if Headlight was built
// without libcurl or libcrypto, or if the page is not secure.
std::unique_ptr<Transport> new_transport();
// One sentence for that case: what to do.
std::string why_no_transport();

// The header lines of a request.
std::vector<std::string> header_lines(const Request& request);
// Parses a line of the response header, including the status line. Used by both transports.
void take_header_line(Response& response, std::string_view line);
enum class ConnectionTrouble { certificate, none, broken };
// Throws HubError for a certificate problem, ConnectionError otherwise; `reason`: the library's
// message.
[[noreturn]] void refuse_connection(const Address& address, ConnectionTrouble trouble,
                                    const std::string& reason);

}  // namespace headlight::hub

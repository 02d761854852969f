#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hub/transport.h"

// Requests that the page carries out (platform/web/page/hub.js). They end later, so the transport
// keeps them.
namespace headlight::hub {

// How far a request is.
struct PageAnswer {
    std::string outcome{};  // empty: not finished; "done"; otherwise what went wrong
    std::string detail{};   // the file with the response's body, or more about what went wrong
    Response response{};
    std::uint64_t arrived = 0;  // bytes
};

class PageTransport : public Transport {
  public:
    PageTransport() = default;
    ~PageTransport() override;  // stops all requests
    PageTransport(const PageTransport&) = delete;
    PageTransport& operator=(const PageTransport&) = delete;

    Response exchange(const Request& request, const Sink& sink, const StopFlag& stop) override;
    [[nodiscard]] bool is_in_browser() const override { return true; }
    [[nodiscard]] std::uint64_t news() const override;

    // Starts a request, described in JSON, unless this transport has started it before.
    PageAnswer ask(const std::string& request);

  private:
    std::map<std::string, int> numbers_;  // of the requests
};

// Throws ConnectionError for the page's outcomes "offline", "unreadable" and "broken".
void expect_connection(const Address& address, const PageAnswer& answer);

}  // namespace headlight::hub

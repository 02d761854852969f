#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hub/protocol.h"
#include "hub/transport.h"
#include "kernels/stop.h"

namespace headlight::hub {

// Asks the Hub and follows its redirects. The token goes only to the Hub: once a
// redirect has led to another host, port or scheme, it is no longer sent.
class Client {
  public:
    Client(Transport& transport, Address base, std::string token, StopFlag stop = {})
        : transport_(transport),
          base_(std::move(base)),
          token_(std::move(token)),
          stop_(std::move(stop)) {}

    [[nodiscard]] const Address& base() const { return base_; }
    [[nodiscard]] bool has_token() const { return !token_.empty(); }
    [[nodiscard]] const StopFlag& stop() const { return stop_; }
    [[nodiscard]] Subject subject(const HubName& name, const std::string& path = {}) const {
        return {name, path, base_, has_token()};
    }

    // The header alone. Follows redirects within the Hub (a renamed repository); one that leads
    // elsewhere is the answer, because it says where the file is and what its hash is. Keeps what
    // the Hub said about the commit and the file on the way.
    struct Head {
        Response response;
        Address address;  // that gave it
    };
    [[nodiscard]] Head head(const Address& address);
    // Follows all redirects. The sink gets the body of the last answer, whatever its status.
    Response get(const Address& address, const std::optional<ByteRange>& range,
                 const Transport::Sink& sink);
    // A small answer, such as an API's JSON. Nothing on an error (status 400 and above, no
    // connection) or beyond `most` bytes.
    [[nodiscard]] std::optional<std::string> text(const Address& address, std::size_t most);

  private:
    Transport& transport_;
    Address base_;
    std::string token_;
    StopFlag stop_;
};

}  // namespace headlight::hub

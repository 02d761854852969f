#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hub/file_list.h"
#include "hub/protocol.h"
#include "hub/transport.h"
#include "kernels/stop.h"

namespace headlight::hub {

// Sends requests to the Hub and follows its redirects. The token is sent only to the Hub: after a
// redirect to another host, port or scheme, it is dropped.
class Client {
  public:
    Client(Transport& transport, Address base, std::string token, StopFlag stop = {})
        : transport_(transport),
          base_(std::move(base)),
          token_(std::move(token)),
          stop_(std::move(stop)) {}

    [[nodiscard]] const Address& base() const { return base_; }
    [[nodiscard]] bool has_token() const { return !token_.empty(); }
    [[nodiscard]] bool is_in_browser() const { return transport_.is_in_browser(); }
    [[nodiscard]] Transport& transport() const { return transport_; }
    [[nodiscard]] const StopFlag& stop() const { return stop_; }
    [[nodiscard]] Subject subject(const HubName& name, const std::string& path = {}) const {
        return {name, path, base_, has_token(), is_in_browser()};
    }

    // Requests the header of a file alone. Follows redirects within the Hub (a renamed repository).
    // A redirect elsewhere is the answer, because it has the file's address and hash. Keeps what
    // the Hub said about the commit and the file on the way. In a browser, which hides all that,
    // the answer comes from the Hub's list of files.
    struct Head {
        Response response;
        Address address;  // that answered
    };
    [[nodiscard]] Head head(const std::string& repository, const std::string& revision,
                            const std::string& path);
    // Follows all redirects. The sink gets the body of the final response, whatever its status.
    Response get(const Address& address, const std::optional<ByteRange>& range,
                 const Transport::Sink& sink);
    // A small response, such as an API's JSON. Empty on an error (status 400 and above, no
    // connection) or beyond `most` bytes.
    [[nodiscard]] std::optional<std::string> text(const Address& address, std::size_t most);

  private:
    [[nodiscard]] Head head_from_list(const std::string& repository, const std::string& revision,
                                      const std::string& path);

    Transport& transport_;
    Address base_;
    std::string token_;
    StopFlag stop_;
    std::string listed_;            // the address of list_
    std::optional<FileList> list_;  // the last one
};

}  // namespace headlight::hub

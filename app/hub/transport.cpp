#include "hub/transport.h"

#include "kernels/ascii.h"
#include "kernels/trimmed.h"

namespace headlight::hub {

std::vector<std::string> header_lines(const Request& request) {
    // Not compressed: sizes and ranges count the file's own bytes.
    std::vector<std::string> lines{"Accept-Encoding: identity"};
    if (!request.token.empty()) lines.push_back("Authorization: Bearer " + request.token);
    if (request.range)
        lines.push_back("Range: bytes=" + std::to_string(request.range->begin) + "-" +
                        (request.range->last ? std::to_string(*request.range->last) : ""));
    return lines;
}

void take_header_line(Response& response, std::string_view line) {
    if (line.starts_with("HTTP/")) response = {};  // after "100 Continue"
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return;
    response.headers[in_lower_case(trimmed(line.substr(0, colon)))] =
        trimmed(line.substr(colon + 1));
}

void refuse_connection(const Address& address, ConnectionTrouble trouble,
                       const std::string& reason) {
    switch (trouble) {
        case ConnectionTrouble::certificate:
            throw HubError(address.place() + ": its certificate could not be verified (" + reason +
                           "). Check this machine's clock and its certificates (Debian: "
                           "ca-certificates), or set SSL_CERT_FILE to a file with certificates.");
        case ConnectionTrouble::none:
            throw ConnectionError(
                address.place() + ": no connection (" + reason +
                "). Check the network, and HF_ENDPOINT and the proxy if they are set.");
        case ConnectionTrouble::broken:
            break;
    }
    throw ConnectionError(address.place() + ": the connection broke (" + reason +
                          "). Try again; the download then continues where it stopped.");
}

}  // namespace headlight::hub

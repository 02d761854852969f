#pragma once

#include <cstdint>
#include <string>

#include "hub/download.h"
#include "hub/protocol.h"
#include "hub/transport.h"

// What can go wrong while a file arrives. The subject names the file.
namespace headlight::hub {

// Whether another attempt may succeed after this error response. An expired signed address gets
// status 403 from a server other than the Hub.
bool may_pass(const Response& response);

// For a response that ended early.
std::string arrived_too_little(const Subject& subject, std::uint64_t arrived, std::uint64_t size);

// Throw HubError. A range that is not the requested one; more bytes than announced; the wrong hash.
[[noreturn]] void refuse_range(const Subject& subject);
[[noreturn]] void refuse_surplus(const Subject& subject, std::uint64_t announced);
[[noreturn]] void refuse_hash(const Subject& subject, const std::string& found,
                              const std::string& expected);

}  // namespace headlight::hub

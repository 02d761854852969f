#pragma once

#include <stdexcept>

namespace headlight::hub {

// An error between Headlight and the Hub, in one or two sentences: the model or file, what
// happened, and what to do. It never contains a token or a signed address.
class HubError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace headlight::hub

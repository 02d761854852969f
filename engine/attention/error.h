#pragma once

#include <stdexcept>

namespace headlight {

class AttentionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace headlight

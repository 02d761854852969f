#pragma once

#include <stdexcept>

namespace headlight {

// The inputs of an analysis do not fit together. The message says what was expected and what was
// found.
class AnalysisError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace headlight

#pragma once

#include <stdexcept>

namespace headlight {

// What was given to an analysis does not fit together; says what was expected and what was found.
class AnalysisError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace headlight

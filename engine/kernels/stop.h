#pragma once

#include <exception>
#include <functional>

namespace headlight {

// Polled between blocks of work; true means: stop, the result is no longer needed.
using StopFlag = std::function<bool()>;

// Thrown by a computation after a stop request.
class Stopped : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

inline void throw_if_stopped(const StopFlag& stop) {
    if (stop && stop()) throw Stopped();
}

}  // namespace headlight

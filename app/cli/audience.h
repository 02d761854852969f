#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "kernels/stop.h"

namespace headlight::cli {

// Who hears of a command's work, and can end it.
struct Audience {
    std::ostream& out;       // hears the description
    std::ostream& warnings;  // notes about the model, and which images failed and why
    std::function<void(const std::string&)> progress;
    StopFlag stop;
};

}  // namespace headlight::cli

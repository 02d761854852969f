#pragma once

#include <cstdlib>
#include <string>

namespace headlight {

// An environment variable; empty if it is not set.
inline std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set by us
    return value != nullptr ? value : "";
}

}  // namespace headlight

#pragma once

#include <cstdlib>
#include <string>

namespace headlight {

// A variable of the environment; empty where it is not set.
inline std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set by us
    return value != nullptr ? value : "";
}

}  // namespace headlight

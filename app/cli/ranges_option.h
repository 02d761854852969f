#pragma once

#include <string>

#include "cli/errors.h"
#include "program/number_ranges.h"
#include "program/values.h"

namespace headlight::cli {

// The layers or heads that an option lists. Throws UsageError if the text is no such list.
inline NumberRanges ranges_of(const char* option, const std::string& text) {
    try {
        return {option, text};
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
}

}  // namespace headlight::cli

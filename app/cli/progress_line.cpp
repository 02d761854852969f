#include "cli/progress_line.h"

#include <iostream>

#include "cli/errors.h"
#include "system/open_file.h"

namespace headlight::cli {

namespace {

// Returns to the start of the line and clears it.
constexpr const char* kAgain = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : terminal_(system::errors_go_to_a_terminal()) {}

ProgressLine::~ProgressLine() {
    if (terminal_) std::cerr << kAgain << std::flush;
}

void ProgressLine::show(const std::string& text) const {
    if (terminal_) std::cerr << kAgain << one_line(text) << std::flush;
}

}  // namespace headlight::cli

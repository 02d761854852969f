#include "cli/progress_line.h"

#include <unistd.h>

#include <iostream>

#include "cli/errors.h"

namespace headlight::cli {

namespace {

// Back to the line's beginning, and clear what stands there.
constexpr const char* kAgain = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (terminal_) std::cerr << kAgain << std::flush;
}

void ProgressLine::show(const std::string& text) const {
    if (terminal_) std::cerr << kAgain << one_line(text) << std::flush;
}

}  // namespace headlight::cli

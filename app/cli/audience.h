#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include "kernels/stop.h"

// Who hears of a command's work, and can end it.
namespace headlight::cli {

struct Audience {
    std::ostream& out;       // hears the description
    std::ostream& warnings;  // notes about the model, and which images failed and why
    std::function<void(const std::string&)> progress;
    StopFlag stop;
};

// A progress line on standard error that is rewritten in place; only if that is a terminal.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine();  // erases the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& text) const;
    // show(), for work that reports its progress while the line lives.
    [[nodiscard]] std::function<void(const std::string&)> watch() const {
        return [this](const std::string& text) { show(text); };
    }

  private:
    bool terminal_;
};

// During its lifetime, signals that ask the program to end (such as Ctrl+C) only set a flag, so
// that the work can stop and remove its unfinished file. The second signal ends the program at
// once.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    [[nodiscard]] static bool asked();
    // Ends the program as the signal would have, so that a shell loop ends too.
    static void obey();
};

// Prints a line and returns true if any of these numbers, computed by the model in this file, is
// NaN or infinite, as from weights that are too large.
bool say_not_finite(std::span<const float> numbers, const std::string& model,
                    std::ostream& warnings);

// Prints that line.
void say_not_finite(const std::string& model, std::ostream& warnings);

}  // namespace headlight::cli

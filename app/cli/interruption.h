#pragma once

namespace headlight::cli {

// While it lives, the signals that ask a program to end (Ctrl+C is one) only set a flag, so that
// the work can stop and take its unfinished file away. The second one ends the program at once.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    [[nodiscard]] static bool asked();
    // Ends the program as the signal would have, so that a shell's loop ends with it.
    static void obey();
};

}  // namespace headlight::cli

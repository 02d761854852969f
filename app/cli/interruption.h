#pragma once

namespace headlight::cli {

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

}  // namespace headlight::cli

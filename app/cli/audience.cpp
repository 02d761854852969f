#include "cli/audience.h"

#include <array>
#include <csignal>
#include <iostream>

#include "cli/errors.h"
#include "files/stored_tensor.h"
#include "system/open_file.h"

namespace headlight::cli {

namespace {

// Returns to the start of the line and clears it.
constexpr const char* kAgain = "\r\x1b[K";

#ifdef SIGHUP
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
#else
constexpr std::array kSignals{SIGINT, SIGTERM};
#endif

// A signal handler can only access globals.
volatile std::sig_atomic_t received = 0;

extern "C" void receive(int signal) {
    received = signal;
    (void)std::signal(signal, SIG_DFL);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(system::errors_go_to_a_terminal()) {}

ProgressLine::~ProgressLine() {
    if (terminal_) std::cerr << kAgain << std::flush;
}

void ProgressLine::show(const std::string& text) const {
    if (terminal_) std::cerr << kAgain << one_line(text) << std::flush;
}

Interruption::Interruption() {
    received = 0;
    for (const int signal : kSignals) {
        const auto before = std::signal(signal, receive);
        if (before == SIG_IGN) (void)std::signal(signal, SIG_IGN);  // as under nohup
    }
}

Interruption::~Interruption() {
    for (const int signal : kSignals)
        if (const auto now = std::signal(signal, SIG_DFL); now == SIG_IGN)
            (void)std::signal(signal, SIG_IGN);
}

bool Interruption::asked() { return received != 0; }

void Interruption::obey() {
    (void)std::signal(received, SIG_DFL);
    (void)std::raise(received);
}

bool say_not_finite(std::span<const float> numbers, const std::string& model,
                    std::ostream& warnings) {
    const bool some = find_not_finite(numbers).has_value();
    if (some) say_not_finite(model, warnings);
    return some;
}

void say_not_finite(const std::string& model, std::ostream& warnings) {
    warnings << "headlight: "
             << one_line(model +
                         ": some results are NaN or infinite, because numbers in the model are too "
                         "large. Run headlight trace to find the first such tensor.")
             << '\n';
}

}  // namespace headlight::cli

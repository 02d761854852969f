#include "cli/interruption.h"

#include <array>
#include <csignal>

namespace headlight::cli {

namespace {

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

}  // namespace headlight::cli

#include "system/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <system_error>

namespace headlight::system {

namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

class Pipe {
  public:
    explicit Pipe(const std::filesystem::path& path)
        : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (number_ < 0) fail();
    }
    ~Pipe() { ::close(number_); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    // Waits until a writer has written or has closed its end. Polls `ask` repeatedly, because a
    // signal may arrive just before each wait.
    void wait(void (*ask)()) const {
        constexpr int kMilliseconds = 100;
        pollfd news{number_, POLLIN, 0};
        while (::poll(&news, 1, kMilliseconds) <= 0) ask();
    }

    // 0: the end.
    [[nodiscard]] std::size_t read(std::span<std::byte> into, void (*ask)()) const {
        for (;;) {
            wait(ask);
            const auto count = ::read(number_, into.data(), into.size());
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR && errno != EAGAIN) fail();
        }
    }

  private:
    int number_;
};

}  // namespace

std::vector<std::byte> read_pipe(const std::filesystem::path& path, void (*ask)()) {
    const Pipe pipe(path);
    std::vector<std::byte> bytes(1U << 16U);
    std::size_t filled = 0;  // the size is only known at the end
    while (const std::size_t count = pipe.read(std::span(bytes).subspan(filled), ask)) {
        filled += count;
        if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace headlight::system

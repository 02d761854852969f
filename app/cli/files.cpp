#include "cli/files.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "cli/errors.h"
#include "cli/interruption.h"
#include "disk/read_file.h"
#include "files/npy.h"
#include "kernels/stop.h"

namespace headlight::cli {

namespace {

class Pipe {
  public:
    explicit Pipe(const std::string& path)
        : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (number_ < 0) refuse();
    }
    ~Pipe() { ::close(number_); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    // Until someone writes into it, or has ended. Not longer than an interruption: a signal may
    // come just before the waiting begins, so it is looked for again and again.
    void wait() const {
        constexpr int kMilliseconds = 100;
        pollfd news{number_, POLLIN, 0};
        while (::poll(&news, 1, kMilliseconds) <= 0) throw_if_stopped(Interruption::asked);
    }

    // 0: the end.
    [[nodiscard]] std::size_t read(std::span<std::byte> into) const {
        for (;;) {
            wait();
            const auto count = ::read(number_, into.data(), into.size());
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR && errno != EAGAIN) refuse();
        }
    }

  private:
    [[noreturn]] void refuse() const {
        throw WorkError(path_ + ": expected a readable file, found: " + std::strerror(errno) + ".");
    }

    const std::string& path_;
    int number_;
};

// There is no size to be known before the end.
Bytes read_pipe(const std::string& path) {
    const Pipe pipe(path);
    Bytes bytes(1U << 16U);
    std::size_t filled = 0;
    while (const std::size_t count = pipe.read(std::span(bytes).subspan(filled))) {
        filled += count;
        if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace

File read_file(const std::string& path) {
    std::error_code unknown;
    const auto kind = std::filesystem::status(path, unknown).type();
    if (kind == std::filesystem::file_type::fifo) return read_pipe(path);
    return headlight::read_file(path);
}

std::unique_ptr<NewFile> begin_npy(const std::string& path, const std::string& type,
                                   const std::vector<std::int64_t>& shape) {
    auto file = std::make_unique<NewFile>(path);
    const std::string header = npy_header(type, shape);
    file->write(std::as_bytes(std::span(header)));
    return file;
}

}  // namespace headlight::cli

#include "system/open_file.h"

namespace headlight::system {

namespace {

// Repeats until all bytes are transferred or nothing more comes; −1 if `some` fails.
template <class Bytes, class Some>
std::ptrdiff_t whole(Bytes bytes, const Some& some) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const std::ptrdiff_t count = some(done, bytes.subspan(done));
        if (count < 0) return count;
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return static_cast<std::ptrdiff_t>(done);
}

}  // namespace

std::ptrdiff_t OpenFile::read(std::uint64_t begin, std::span<std::byte> into) const {
    return whole(into, [&](std::size_t done, auto rest) { return read_some(begin + done, rest); });
}

std::ptrdiff_t OpenFile::write(std::uint64_t begin, std::span<const std::byte> bytes) {
    return whole(bytes,
                 [&](std::size_t done, auto rest) { return write_some(begin + done, rest); });
}

std::ptrdiff_t OpenFile::write_next(std::span<const std::byte> bytes) {
    return whole(bytes, [&](std::size_t, auto rest) { return write_some_next(rest); });
}

}  // namespace headlight::system

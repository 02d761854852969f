#include "files/file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace headlight {

File File::part(std::uint64_t begin, std::uint64_t size) const {
    if (!read_) return FileBytes(bytes_.bytes().subspan(begin, size), bytes_.owner());
    File part = *this;
    part.begin_ += begin;
    part.size_ = size;
    return part;
}

void File::read(std::uint64_t begin, std::span<std::byte> into) const {
    if (into.empty()) return;
    if (read_) return (*read_)(begin_ + begin, into);
    std::memcpy(into.data(), bytes_.data() + begin, into.size());
}

FileBytes File::bytes(const StopFlag& stop) const {
    if (!read_) return bytes_;
    constexpr std::size_t kBlock = std::size_t{4} << 20U;
    // Not a vector, which would first fill itself with zeros.
    const std::shared_ptr<std::byte[]> room(new std::byte[size_]);
    const std::span all(room.get(), size_);
    for (std::size_t at = 0; at < all.size(); at += kBlock) {
        throw_if_stopped(stop);
        read(at, all.subspan(at, std::min(kBlock, all.size() - at)));
    }
    return {all, room};
}

std::string beside(const std::string& path, const std::string& file) {
    return std::filesystem::path(path).replace_filename(file).string();
}

}  // namespace headlight

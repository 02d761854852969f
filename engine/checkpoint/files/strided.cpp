#include "files/strided.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace headlight {

namespace {

class Lazy {
  public:
    explicit Lazy(std::function<FileBytes()> make) : make_(std::move(make)) {}

    FileBytes bytes() {
        const std::lock_guard lock(guard_);
        if (make_) bytes_ = make_();
        make_ = nullptr;
        return bytes_;
    }

  private:
    std::mutex guard_;  // guards the members below
    std::function<FileBytes()> make_;
    FileBytes bytes_;
};

bool is_in_order(const Strides& strides) {
    std::int64_t next = 1;
    for (std::size_t i = strides.shape.size(); i-- > 0;) {
        if (strides.shape[i] != 1 && strides.steps[i] != next) return false;
        next *= strides.shape[i];
    }
    return true;
}

// Iterates over the numbers of a view, starting at any of them.
class Walk {
  public:
    Walk(const Strides& strides, std::uint64_t first)
        : strides_(strides), at_(strides.shape.size()) {
        for (std::size_t i = at_.size(); i-- > 0;) {
            const auto extent = static_cast<std::uint64_t>(strides.shape[i]);
            at_[i] = static_cast<std::int64_t>(first % extent);
            first /= extent;
            place_ += at_[i] * strides.steps[i];
        }
    }
    [[nodiscard]] std::uint64_t place() const {
        return strides_.offset + static_cast<std::uint64_t>(place_);
    }
    void next() {
        for (std::size_t i = at_.size(); i-- > 0;) {
            place_ += strides_.steps[i];
            if (++at_[i] < strides_.shape[i]) return;
            place_ -= at_[i] * strides_.steps[i];
            at_[i] = 0;
        }
    }

  private:
    const Strides& strides_;
    std::vector<std::int64_t> at_;
    std::int64_t place_ = 0;
};

// Fills `into` with the view's bytes from `begin` on.
void gather(const Strides& strides, std::size_t each, std::uint64_t begin,
            std::span<std::byte> into, const std::byte* storage) {
    Walk walk(strides, begin / each);
    std::size_t skipped = begin % each;  // bytes of the first number
    for (std::size_t done = 0; done < into.size(); walk.next()) {
        const std::size_t count = std::min(each - skipped, into.size() - done);
        std::memcpy(into.data() + done, storage + walk.place() * each + skipped, count);
        done += count;
        skipped = 0;
    }
}

}  // namespace

File lazy_file(std::uint64_t size, std::function<FileBytes()> make) {
    const auto lazy = std::make_shared<Lazy>(std::move(make));
    return {size, [lazy](std::uint64_t begin, std::span<std::byte> into) {
                std::memcpy(into.data(), lazy->bytes().data() + begin, into.size());
            }};
}

File strided_file(const File& storage, const Strides& strides, std::size_t each) {
    std::uint64_t count = 1;
    for (const std::int64_t extent : strides.shape) count *= static_cast<std::uint64_t>(extent);
    if (count == 0) return Bytes{};
    if (is_in_order(strides)) return storage.part(strides.offset * each, count * each);
    const auto lazy = std::make_shared<Lazy>([storage] { return storage.bytes(); });
    return {count * each, [=](std::uint64_t begin, std::span<std::byte> into) {
                gather(strides, each, begin, into, lazy->bytes().data());
            }};
}

}  // namespace headlight

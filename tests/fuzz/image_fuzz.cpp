// Damages the sample pictures in chance ways and decodes them: each must come out whole or be
// refused with ImageError. Worth most when built with the asan preset.
//
//     image_fuzz FOLDER [SEED] [COUNT]
//
// The same seed gives the same damage on every machine. With FUZZ_TRACE set each case is named
// before it runs, so that the last name printed is the case a sanitizer stopped at (run it with
// COUNT 1).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "image/image.h"

namespace {

using Bytes = std::vector<std::byte>;

// splitmix64: the standard library's distributions differ from one library to the next.
class Chance {
  public:
    explicit Chance(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t end) { return end == 0 ? 0 : next() % end; }

  private:
    std::uint64_t state_;
};

// One piece of damage. Numbers at the edge of what a field holds find more than arbitrary ones.
void damage(Bytes& bytes, Chance& chance) {
    constexpr std::uint8_t kEdges[] = {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
    const std::size_t at = chance.below(bytes.size());
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t length = std::min(bytes.size() - at, 1 + chance.below(16));
    const auto to = from + static_cast<std::ptrdiff_t>(length);
    switch (chance.below(6)) {
        case 0:
            *from ^= static_cast<std::byte>(1U << chance.below(8));
            break;
        case 1:
            *from = static_cast<std::byte>(chance.below(256));
            break;
        case 2:
            std::fill(from, std::min(to, from + 4), std::byte{kEdges[chance.below(6)]});
            break;
        case 3:
            bytes.erase(from, to);
            break;
        case 4: {
            const Bytes copy(from, to);
            const auto where = static_cast<std::ptrdiff_t>(chance.below(bytes.size()));
            bytes.insert(bytes.begin() + where, copy.begin(), copy.end());
            break;
        }
        default:
            bytes.resize(at + 1);
            break;
    }
}

// Whether the decoder kept its promise; what it broke goes to stderr.
bool decodes_or_refuses(const Bytes& bytes, const std::string& name) {
    constexpr std::int64_t kMostPixels = 1 << 18;  // small, so that many cases fit in a minute
    try {
        const headlight::Image image = headlight::decode_image(bytes, name, kMostPixels);
        const auto expected = static_cast<std::size_t>(image.height) * image.width * image.channels;
        const bool sound =
            (image.channels == 1 || image.channels == 3) && image.values.size() == expected &&
            expected > 0 &&
            std::ranges::all_of(image.values, [](float v) { return v >= 0 && v <= 1; });
        if (!sound)
            std::fprintf(stderr, "%s: an image with unsound size or values\n", name.c_str());
        return sound;
    } catch (const headlight::ImageError&) {
        return true;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
        return false;
    }
}

std::vector<std::pair<std::string, Bytes>> read_samples(const std::filesystem::path& folder) {
    std::vector<std::pair<std::string, Bytes>> samples;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        const auto* first = reinterpret_cast<const std::byte*>(text.data());
        samples.emplace_back(entry.path().filename().string(), Bytes(first, first + text.size()));
    }
    std::ranges::sort(samples);  // a folder's own order differs between machines
    return samples;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FOLDER [SEED] [COUNT]\n", argv[0]);
        return EXIT_FAILURE;
    }
    const auto samples = read_samples(argv[1]);
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const std::uint64_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1000;
    bool sound = !samples.empty();
    for (std::uint64_t round = seed; round < seed + count; ++round) {
        for (const auto& [name, original] : samples) {
            Chance chance(round);
            Bytes bytes = original;
            for (std::size_t i = 1 + chance.below(4); i > 0 && !bytes.empty(); --i)
                damage(bytes, chance);
            const std::string title = name + " with seed " + std::to_string(round);
            if (std::getenv("FUZZ_TRACE") != nullptr) std::fprintf(stderr, "%s\n", title.c_str());
            sound = decodes_or_refuses(bytes, title) && sound;
        }
    }
    std::printf("%zu samples x %llu rounds: %s\n", samples.size(),
                static_cast<unsigned long long>(count), sound ? "sound" : "FAILED");
    return sound ? EXIT_SUCCESS : EXIT_FAILURE;
}

#include <algorithm>

#include "fuzz.h"
#include "image/image.h"

using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::int64_t kMostPixels = 1 << 16;  // small, so that many inputs fit in a minute
    try {
        const Image image = decode_image(fuzz::bytes_of(data, size), "file", kMostPixels);
        const auto expected = static_cast<std::size_t>(image.height) * image.width * image.channels;
        fuzz::promise(image.channels == 1 || image.channels == 3, "one or three channels");
        fuzz::promise(image.values.size() == expected && expected > 0, "as many values as it says");
        fuzz::promise(std::ranges::all_of(image.values, [](float v) { return v >= 0 && v <= 1; }),
                      "values from 0 to 1");
    } catch (const ImageError&) {
        // An acceptable outcome, like an image.
    }
    return 0;
}

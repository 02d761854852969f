// Compares preprocessing with Pillow, bit for bit, and with torchvision
// (tests/golden/make_preprocessing.py).
#include "image/preprocessing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

#include "files/safetensors.h"
#include "tests/source_path.h"

namespace headlight::preprocessing_test {
namespace {

std::string read_golden(const std::string& name) {
    std::ifstream file(source_path("tests/golden/") + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The script's picture: noise with black and white parts.
Image noise(int height, int width, int channels) {
    Image image{height, width, channels, {}};
    for (std::int64_t row = 0; row < height; ++row)
        for (std::int64_t col = 0; col < width; ++col)
            for (std::int64_t c = 0; c < channels; ++c) {
                const std::int64_t value =
                    (row * 7919 + col * 104729 + c * 1299709 + row * col * 31) % 256;
                const bool extreme = (row / 3 + col / 5) % 4 == 0;
                image.values.push_back(static_cast<float>(extreme ? value / 128 * 255 : value) /
                                       255);
            }
    return image;
}

Interpolation interpolation_named(const std::string& name) {
    static const std::map<std::string, Interpolation> kNames{{"bilinear", Interpolation::bilinear},
                                                             {"bicubic", Interpolation::bicubic},
                                                             {"lanczos", Interpolation::lanczos},
                                                             {"nearest", Interpolation::nearest}};
    return kNames.at(name);
}

// The settings encoded in the name of a golden tensor: "resize bicubic 60x83x3 28x28 32".
struct Case {
    std::string kind, filter;
    int height = 0, width = 0, channels = 0;
    Preprocessing how;
};

Case parse(const std::string& name) {
    std::istringstream text(name);
    Case c;
    char x = 0;
    text >> c.kind >> c.filter >> c.height >> x >> c.width >> x >> c.channels;
    text >> c.how.height >> x >> c.how.width;
    if (int length = 0; text >> length) c.how.resize = ResizeTo{length, length};
    c.how.interpolation = interpolation_named(c.filter);
    c.how.framing = c.kind == "crop" || c.how.resize ? Framing::crop : Framing::stretch;
    c.how.eight_bit = c.kind != "floats";
    return c;
}

TEST(Preprocessing, agrees_with_pillow_and_torchvision) {
    const std::string bytes = read_golden("preprocessing.safetensors");
    std::map<std::string, int> cases;
    for (const auto& [name, expected] : read_safetensors(std::as_bytes(std::span(bytes)), "")) {
        SCOPED_TRACE(name);
        const Case c = parse(name);
        const std::string file = read_golden("images/rgb16.png");
        const Image source = c.kind == "file"
                                 ? decode_image(std::as_bytes(std::span(file)), "rgb16.png")
                                 : noise(c.height, c.width, c.channels);
        const Image found = preprocess(source, c.how);
        ASSERT_EQ(found.height, c.how.height);
        ASSERT_EQ(found.width, c.how.width);
        ASSERT_EQ(found.values.size(), expected.values.size());
        for (std::size_t i = 0; i < found.values.size(); ++i) {
            if (c.how.eight_bit)
                ASSERT_EQ(found.values[i], expected.values[i] / 255) << "value " << i;
            else
                ASSERT_NEAR(found.values[i], expected.values[i], 1e-6) << "value " << i;
        }
        ++cases[c.kind];
    }
    const std::map<std::string, int> expected{
        {"crop", 16}, {"file", 1}, {"floats", 8}, {"resize", 32}, {"stretch", 48}};
    EXPECT_EQ(cases, expected);
}

TEST(Preprocessing, frame_image_is_its_plainest_use) {
    const Image image = noise(20, 33, 3);
    for (const Framing framing : {Framing::crop, Framing::fit, Framing::stretch}) {
        Preprocessing how;
        how.height = 12;
        how.width = 17;
        how.framing = framing;
        EXPECT_EQ(preprocess(image, how).values, frame_image(image, 12, 17, framing).values);
    }
}

TEST(Preprocessing, fit_keeps_its_grey_in_eight_bits) {
    Preprocessing how;
    how.height = how.width = 8;
    how.framing = Framing::fit;
    how.eight_bit = true;
    const Image fitted = preprocess(Image{4, 8, 1, std::vector<float>(32, 1.0F)}, how);
    EXPECT_EQ(fitted.at(1, 0, 0), 0.5F);
    EXPECT_EQ(fitted.at(2, 0, 0), 1.0F);
}

// For floats, kernels with negative lobes stay in range like the others.
TEST(Preprocessing, every_kernel_keeps_flat_flat_and_stays_in_range) {
    const Image white{37, 51, 1, std::vector<float>(std::size_t{37} * 51, 1.0F)};
    for (const std::string filter : {"bilinear", "bicubic", "lanczos", "nearest"})
        for (const bool eight_bit : {false, true}) {
            Preprocessing how;
            how.height = 11;
            how.width = 90;
            how.framing = Framing::stretch;
            how.interpolation = interpolation_named(filter);
            how.eight_bit = eight_bit;
            for (const float value : preprocess(white, how).values) ASSERT_NEAR(value, 1, 1e-6);
            for (const float value : preprocess(noise(37, 51, 3), how).values) {
                ASSERT_GE(value, 0) << filter;
                ASSERT_LE(value, 1) << filter;
            }
        }
}

// A very long picture would be too large in full, but only the frame is computed. Expected values
// are from Siglip2ImageProcessor's search, run in Python.
TEST(Preprocessing, a_limit_of_patches_keeps_the_aspect_as_siglip_2_does) {
    struct Limited {
        int height, width, patch, most, frame_height, frame_width;
    };
    for (const Limited& c : {Limited{480, 640, 16, 256, 224, 288},
                             {640, 480, 16, 256, 288, 224},
                             {512, 512, 16, 256, 256, 256},
                             {1000, 30, 16, 256, 1360, 48},
                             {1, 1, 16, 256, 112, 112},
                             {3000, 2000, 16, 1024, 624, 416},
                             {333, 500, 14, 729, 308, 462},
                             {768, 1024, 16, 1, 16, 16},
                             {7, 9, 16, 256, 224, 288},
                             {400, 400, 16, 250, 240, 240}}) {
        Preprocessing how;
        how.framing = Framing::crop;
        how.limit = PatchLimit{c.patch, c.most};
        const Preprocessing found = framed_for(c.height, c.width, how);
        EXPECT_EQ(found.height, c.frame_height) << c.height << " x " << c.width;
        EXPECT_EQ(found.width, c.frame_width) << c.height << " x " << c.width;
        EXPECT_EQ(found.framing, Framing::stretch);
        EXPECT_FALSE(found.limit);
    }
    const Preprocessing none;
    EXPECT_EQ(framed_for(480, 640, none), none);
}

TEST(Preprocessing, long_pictures_stay_affordable) {
    for (const bool eight_bit : {false, true}) {
        Preprocessing how;
        how.resize = ResizeTo{256, 256};
        how.eight_bit = eight_bit;
        const Image tall{50'000, 1, 1, std::vector<float>(50'000, 0.2F)};
        const Image framed = preprocess(tall, how);
        EXPECT_NEAR(framed.at(100, 100, 0), 0.2, 1e-6);
    }
}

TEST(Preprocessing, refuses_what_has_no_area_or_too_much) {
    const Image image = noise(4, 4, 1);
    Preprocessing how;
    how.resize = ResizeTo{0, 0};
    EXPECT_THROW(preprocess(image, how), ImageError);
    how.resize = ResizeTo{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
    EXPECT_THROW(preprocess(image, how), ImageError);
    how.resize.reset();
    how.height = 0;
    EXPECT_THROW(preprocess(image, how), ImageError);
    // 8-bit images use Pillow's order of passes, which may need a large intermediate image.
    how.height = 1;
    how.width = 10'000;
    how.framing = Framing::stretch;
    how.eight_bit = true;
    const Image tall{20'000, 1, 1, std::vector<float>(20'000, 0.5F)};
    EXPECT_THROW(preprocess(tall, how), ImageError);
}

}  // namespace
}  // namespace headlight::preprocessing_test

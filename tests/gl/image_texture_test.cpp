#include "gl/image_texture.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "gl_test.h"

namespace headlight::gl::image_texture_test {
namespace {

class ImageTextureTest : public GlTest {};

TEST_F(ImageTextureTest, keeps_colors_and_the_top_row_first) {
    const std::vector<float> pixels{0, 0.5F, 1, 0.2F, 0.4F, 0.6F,  //
                                    2, -1,   0, 1,    0,    0};
    for (const bool smooth : {false, true}) {
        const ImageTexture image(pixels.data(), 2, 2, 3, smooth);
        const auto shown = read_texture(image.texture(), 2, 2);
        EXPECT_EQ(shown[0], (Rgba{0, 128, 255, 255}));
        EXPECT_EQ(shown[1], (Rgba{51, 102, 153, 255}));
        EXPECT_EQ(shown[2], (Rgba{255, 0, 0, 255}));
        EXPECT_EQ(shown[3], (Rgba{255, 0, 0, 255}));
        EXPECT_EQ(image.width(), 2);
        EXPECT_EQ(image.height(), 2);
    }
}

TEST_F(ImageTextureTest, shows_one_channel_grey) {
    const std::vector<float> pixels{0, 1, std::nanf("")};
    const ImageTexture image(pixels.data(), 1, 3, 1, false);
    const auto shown = read_texture(image.texture(), 3, 1);
    EXPECT_EQ(shown[0], (Rgba{0, 0, 0, 255}));
    EXPECT_EQ(shown[1], (Rgba{255, 255, 255, 255}));
    EXPECT_EQ(shown[2], (Rgba{0, 0, 0, 255}));
}

// By definition: each pixel of a half is the mean of those that it replaces, each of which counts
// once; an odd row or column belongs to the last one.
TEST(ImageLevels, are_means_of_all_pixels) {
    const std::vector<float> pixels{0.1F, 0.2F, 0.3F, 0.4F, 0.5F,  //
                                    0.6F, 0.7F, 0.8F, 0.9F, 1.0F,  //
                                    0.0F, 0.2F, 0.4F, 0.6F, 0.8F};
    const ImageLevels image = image_levels(pixels.data(), 3, 5, 1, true);
    ASSERT_EQ(image.levels.size(), 3U);
    const auto mean_byte = [&](int first, int last) {
        float sum = 0;
        for (int row = 0; row < 3; ++row)
            for (int col = first; col < last; ++col)
                sum += pixels[static_cast<std::size_t>(row * 5 + col)];
        return sum / static_cast<float>(3 * (last - first)) * 255;
    };
    const ImageLevels::Level& half = image.levels[1];
    ASSERT_EQ(std::pair(half.width, half.height), std::pair(2, 1));
    for (int channel = 0; channel < 3; ++channel) {
        EXPECT_NEAR(half.bytes[static_cast<std::size_t>(channel)], mean_byte(0, 2), 1);
        EXPECT_NEAR(half.bytes[static_cast<std::size_t>(4 + channel)], mean_byte(2, 5), 1);
    }
    EXPECT_EQ(half.bytes[3], 255);
    const ImageLevels::Level& last = image.levels[2];
    EXPECT_EQ(std::pair(last.width, last.height), std::pair(1, 1));
    EXPECT_EQ(image_levels(pixels.data(), 3, 5, 1, false).levels.size(), 1U);
}

TEST_F(ImageTextureTest, moves_and_deletes) {
    const float pixel = 1;
    ImageTexture one(&pixel, 1, 1, 1, false);
    const std::uint32_t id = one.texture();
    ImageTexture other = std::move(one);
    EXPECT_EQ(other.texture(), id);
    EXPECT_TRUE(glIsTexture(id));
    other = ImageTexture(&pixel, 1, 1, 1, false);
    EXPECT_FALSE(glIsTexture(id));
}

TEST_F(ImageTextureTest, refuses_what_it_cannot_show) {
    const float pixel = 1;
    EXPECT_THROW(ImageTexture(&pixel, 0, 1, 1, false), std::invalid_argument);
    EXPECT_THROW(ImageTexture(&pixel, 1, 1, 2, false), std::invalid_argument);
}

}  // namespace
}  // namespace headlight::gl::image_texture_test

#include <memory>
#include <vector>

#include "gl_test.h"
#include "ui/heatmap_cache.h"

namespace headlight::ui::photo_test {
namespace {

class PhotoTest : public gl::GlTest {};

// New pictures of the same size may be at the addresses of older ones.
TEST_F(PhotoTest, shows_each_picture_wherever_its_pixels_lie) {
    constexpr int kSide = 80;
    HeatmapCache cache;
    for (int i = 0; i < 60; ++i) {
        const auto image = std::make_shared<std::vector<float>>(std::size_t{3} * kSide * kSide,
                                                                static_cast<float>(i) / 255.0F);
        const std::shared_ptr<const float> pixels(image, image->data());
        const auto shown =
            gl::read_texture(cache.photo({pixels, kSide, kSide, 3, false}), kSide, kSide);
        ASSERT_EQ(+shown[0].r, i);
        cache.end_frame();
    }
    cache.clear();
}

// Pixels that are no longer shown are released.
TEST_F(PhotoTest, keeps_pixels_only_while_they_are_shown) {
    HeatmapCache cache;
    auto image = std::make_shared<std::vector<float>>(std::size_t{3}, 1.0F);
    const std::weak_ptr<std::vector<float>> alive = image;
    cache.photo({std::shared_ptr<const float>(image, image->data()), 1, 1, 3, false});
    image.reset();
    EXPECT_FALSE(alive.expired());
    for (int frame = 0; frame < 5; ++frame) cache.end_frame();
    EXPECT_TRUE(alive.expired());
    cache.clear();
}

}  // namespace
}  // namespace headlight::ui::photo_test

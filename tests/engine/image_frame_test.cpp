// Compares resizing with Pillow's results (tests/golden/make_images.py) and with a naive average.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "image/image.h"
#include "image/preprocessing.h"
#include "tests/source_path.h"

namespace headlight::image_frame_test {
namespace {

Image ramp(int height, int width, int channels = 1) {
    Image image{height, width, channels, {}};
    for (int row = 0; row < height; ++row)
        for (int col = 0; col < width; ++col)
            for (int c = 0; c < channels; ++c)
                image.values.push_back(static_cast<float>((31 * row + 17 * col + 7 * c) % 101) /
                                       100);
    return image;
}

TEST(Frame, agrees_with_pillow) {
    std::ifstream golden(source_path("tests/golden/images/resized.txt"));
    std::string framing;
    int height = 0, width = 0, to_height = 0, to_width = 0, cases = 0;
    while (golden >> framing >> height >> width >> to_height >> to_width) {
        SCOPED_TRACE(framing + " " + std::to_string(width) + " x " + std::to_string(height));
        const Image small = frame_image(ramp(height, width), to_height, to_width,
                                        framing == "crop" ? Framing::crop : Framing::stretch);
        ASSERT_EQ(small.values.size(), static_cast<std::size_t>(to_height) * to_width);
        for (const float value : small.values) {
            float expected = 0;
            ASSERT_TRUE(golden >> expected);
            EXPECT_NEAR(value, expected, 1e-6);
        }
        ++cases;
    }
    EXPECT_EQ(cases, 6);
}

Preprocessing frame_of(int height, int width, Framing framing = Framing::crop) {
    Preprocessing how;
    how.height = height;
    how.width = width;
    how.framing = framing;
    return how;
}

// A picture that is 1 in that part and 0 elsewhere fills the frame, except for the filter's support
// beyond the border.
TEST(Frame, shows_the_part_that_it_says) {
    struct Case {
        int height, width;
        Preprocessing how;
    };
    const Preprocessing crop = frame_of(40, 40), wide = frame_of(20, 60);
    Preprocessing resized = crop;
    resized.resize = ResizeTo{50, 50};
    for (const auto& [height, width, how] :
         {Case{100, 300, crop}, Case{300, 100, crop}, Case{200, 200, wide}, Case{200, 300, resized},
          Case{300, 200, resized}}) {
        const PicturePart part = part_in_frame(height, width, how);
        SCOPED_TRACE(std::to_string(width) + " × " + std::to_string(height));
        EXPECT_NEAR(part.height / part.width, double(how.height) / how.width, 0.03);
        EXPECT_NEAR(part.row, (height - part.height) / 2, 4);
        EXPECT_NEAR(part.col, (width - part.width) / 2, 4);
        Image image{height, width, 1, {}};
        for (int row = 0; row < height; ++row)
            for (int col = 0; col < width; ++col)
                image.values.push_back(
                    row + 0.5 >= part.row && row + 0.5 < part.row + part.height &&
                            col + 0.5 >= part.col && col + 0.5 < part.col + part.width
                        ? 1.0F
                        : 0.0F);
        const Image frame = preprocess(image, how);
        for (int row = 1; row + 1 < frame.height; ++row)
            for (int col = 1; col + 1 < frame.width; ++col)
                ASSERT_NEAR(frame.at(row, col, 0), 1, 1e-5) << row << ", " << col;
    }
    EXPECT_EQ(part_in_frame(30, 70, frame_of(9, 9, Framing::stretch)), (PicturePart{0, 0, 30, 70}));
    EXPECT_EQ(part_in_frame(30, 70, frame_of(9, 9, Framing::fit)), (PicturePart{0, 0, 30, 70}));
}

TEST(Frame, the_same_size_changes_nothing) {
    const Image image = ramp(9, 13, 3);
    for (const Framing framing : {Framing::crop, Framing::fit, Framing::stretch})
        EXPECT_EQ(frame_image(image, 9, 13, framing).values, image.values);
}

// The filter's definition, as one sum over the whole picture for each target pixel.
TEST(Frame, every_pixel_of_each_channel_counts) {
    const Image image = ramp(31, 23, 3);
    const int height = 5, width = 8;
    const Image small = frame_image(image, height, width, Framing::stretch);
    const double step_row = 31.0 / height, step_col = 23.0 / width;
    for (int row = 0; row < height; ++row)
        for (int col = 0; col < width; ++col)
            for (int c = 0; c < 3; ++c) {
                double sum = 0, weights = 0;
                for (int r = 0; r < 31; ++r)
                    for (int k = 0; k < 23; ++k) {
                        const double down = std::abs(r + 0.5 - (row + 0.5) * step_row) / step_row;
                        const double across = std::abs(k + 0.5 - (col + 0.5) * step_col) / step_col;
                        const double weight = std::max(0.0, 1 - down) * std::max(0.0, 1 - across);
                        sum += weight * image.at(r, k, c);
                        weights += weight;
                    }
                ASSERT_NEAR(small.at(row, col, c), sum / weights, 1e-6)
                    << row << ' ' << col << ' ' << c;
            }
}

TEST(Frame, flat_stays_flat_and_in_range) {
    const Image white{37, 51, 1, std::vector<float>(std::size_t{37} * 51, 1.0F)};
    for (const Framing framing : {Framing::crop, Framing::stretch})
        for (const float value : frame_image(white, 16, 224, framing).values)
            ASSERT_NEAR(value, 1, 1e-6);
    for (const float value : frame_image(ramp(37, 51, 3), 7, 90, Framing::crop).values) {
        ASSERT_GE(value, 0);
        ASSERT_LE(value, 1);
    }
}

TEST(Frame, fit_centers_the_whole_image_on_grey) {
    const Image black{4, 8, 3, std::vector<float>(std::size_t{4} * 8 * 3, 0.0F)};
    const Image wide = frame_image(black, 8, 8, Framing::fit);
    for (int row = 0; row < 8; ++row)
        for (int col = 0; col < 8; ++col)
            ASSERT_EQ(wide.at(row, col, 1), row >= 2 && row < 6 ? 0.0F : 0.5F) << row << ' ' << col;
    const Image tall = frame_image(black, 2, 9, Framing::fit);
    for (int col = 0; col < 9; ++col)
        ASSERT_EQ(tall.at(1, col, 0), col >= 2 && col < 6 ? 0.0F : 0.5F) << col;
    const Image sliver =
        frame_image(Image{1, 1000, 1, std::vector<float>(1000, 0.0F)}, 3, 10, Framing::fit);
    EXPECT_EQ(sliver.at(1, 5, 0), 0.0F);
    EXPECT_EQ(sliver.at(0, 5, 0), 0.5F);
}

TEST(Frame, extreme_shapes_stay_affordable) {
    const Image tall{20'000, 1, 1, std::vector<float>(20'000, 0.25F)};
    const Image flat = frame_image(tall, 1, 100'000, Framing::stretch);
    EXPECT_EQ(flat.width, 100'000);
    EXPECT_NEAR(flat.at(0, 99'999, 0), 0.25, 1e-6);
}

TEST(Frame, refuses_what_has_no_area_or_too_much) {
    const Image image = ramp(4, 4);
    EXPECT_THROW(frame_image(image, 0, 4, Framing::crop), ImageError);
    EXPECT_THROW(frame_image(image, 4, -1, Framing::fit), ImageError);
    EXPECT_THROW(frame_image(image, 100'000, 100'000, Framing::stretch), ImageError);
    EXPECT_THROW(frame_image({}, 4, 4, Framing::crop), ImageError);
}

}  // namespace
}  // namespace headlight::image_frame_test

#include "program/frame_line.h"

#include <gtest/gtest.h>

namespace headlight::frame_line_test {
namespace {

TEST(FramingLine, says_kernel_and_order) {
    Preprocessing how;
    EXPECT_EQ(framing_line(how, false),
              "I = F.interpolate(center_crop(photo), size, mode='bilinear', antialias=True)");
    how.framing = Framing::fit;
    EXPECT_EQ(framing_line(how, true),
              "I = center_pad(F.interpolate(rgb_to_grayscale(photo), size, mode='bilinear', "
              "antialias=True))");
    how.framing = Framing::stretch;
    how.eight_bit = true;
    how.interpolation = Interpolation::lanczos;
    EXPECT_EQ(framing_line(how, false), "I = TF.resize(photo, size, LANCZOS)");
}

TEST(FramingLine, resizes_before_it_crops_where_the_model_does) {
    Preprocessing how;
    how.eight_bit = true;
    how.resize = ResizeTo{248, 248};
    how.interpolation = Interpolation::bicubic;
    EXPECT_EQ(framing_line(how, false), "I = TF.center_crop(TF.resize(photo, 248, BICUBIC), size)");
}

}  // namespace
}  // namespace headlight::frame_line_test

#include "frame/scales.h"

#include <gtest/gtest.h>

namespace headlight::screens {
namespace {

Look look_of(float zoom, bool lecture) {
    Look look;
    look.zoom = zoom;
    look.lecture = lecture;
    return look;
}

TEST(Scales, are_the_monitors_and_the_persons) {
    EXPECT_EQ(scales_for(look_of(1, false), 1, 1600, 1000), (Scales{1, 1}));
    EXPECT_EQ(scales_for(look_of(1.5F, false), 1, 1600, 1000), (Scales{1.5F, 1}));
    EXPECT_EQ(scales_for(look_of(1, false), 2, 3200, 2000), (Scales{2, 1}));
    EXPECT_EQ(scales_for(look_of(1, false), 1, 320, 240), (Scales{1, 1}));  // its owner's choice
}

TEST(Scales, zooming_in_ends_where_the_interface_would_outgrow_the_window) {
    EXPECT_EQ(scales_for(look_of(2, false), 1, 1280, 720), (Scales{1.2F, 1}));
    EXPECT_EQ(scales_for(look_of(2, false), 1.5F, 1280, 720), (Scales{1.5F, 1}));
    EXPECT_EQ(scales_for(look_of(0.8F, false), 1, 1280, 720), (Scales{0.8F, 1}));
}

TEST(Scales, the_type_of_a_lecture_is_as_large_as_the_stage_has_room_for) {
    EXPECT_EQ(scales_for(look_of(1, true), 1, 1600, 1000).text, 2);
    EXPECT_NEAR(scales_for(look_of(1, true), 1, 1280, 720).text, 1.8F, 1e-5);
    EXPECT_EQ(scales_for(look_of(1, true), 1, 1920, 1080).text, 2);
    EXPECT_NEAR(scales_for(look_of(1, true), 1.5F, 1366, 768).text, 1.1F, 1e-5);
    EXPECT_NEAR(scales_for(look_of(1, true), 2, 1920, 1080).text, 1.2F, 1e-5);
    EXPECT_EQ(scales_for(look_of(1, true), 1, 320, 240).text, 1);
    EXPECT_EQ(scales_for(look_of(2, true), 1, 1280, 720), (Scales{1.2F, 1.4F}));
}

}  // namespace
}  // namespace headlight::screens

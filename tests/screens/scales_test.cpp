#include "frame/scales.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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
    EXPECT_EQ(scales_for(look_of(1, false), 1, 320, 240), (Scales{1, 1}));  // allowed
}

TEST(Scales, zooming_in_ends_where_the_interface_would_outgrow_the_window) {
    EXPECT_EQ(scales_for(look_of(2, false), 1, 1280, 720), (Scales{1.2F, 1}));
    EXPECT_EQ(scales_for(look_of(2, false), 1.5F, 1280, 720), (Scales{1.5F, 1}));
    EXPECT_EQ(scales_for(look_of(0.8F, false), 1, 1280, 720), (Scales{0.8F, 1}));
}

TEST(Scales, the_type_of_a_lecture_is_as_large_as_the_window_whatever_the_monitor_is) {
    const auto em = [](float zoom, float monitor, float width, float height) {
        const Scales scales = scales_for(look_of(zoom, true), monitor, width, height);
        return static_cast<double>(std::lround(12 * scales.unit * scales.text * 100)) / 100;
    };
    EXPECT_EQ(em(1, 1, 1280, 720), 20);     // 24 pixels from ascender to descender
    EXPECT_EQ(em(1.4F, 1, 1280, 720), 28);  // zoomed by the speaker
    EXPECT_EQ(em(2, 1, 1280, 720), 30);     // limited by the space for matrices
    EXPECT_EQ(em(0.5F, 1, 1280, 720), 20);
    EXPECT_EQ(em(1, 1, 1024, 768), 22);
    EXPECT_EQ(em(1, 1.5F, 1366, 768), 22);
    EXPECT_EQ(em(1, 1, 1600, 1000), 28);
    EXPECT_EQ(em(1, 1, 1920, 1080), 30);
    EXPECT_EQ(em(1, 2, 1920, 1080), 30);
    EXPECT_EQ(em(1, 2, 3840, 2160), 60);
    EXPECT_EQ(em(1, 1, 800, 1080), 17);  // as for a window 600 high
    EXPECT_EQ(em(1, 1, 320, 240), 12);   // never smaller than without lecture view
}

TEST(Scales, the_sentence_of_a_lecture_is_a_21st_of_the_height) {
    for (const auto& [width, height] :
         {std::pair{1920.0F, 1080.0F}, {1280.0F, 720.0F}, {1024.0F, 768.0F}, {3840.0F, 2160.0F}}) {
        const Scales scales = scales_for(look_of(1, true), 1, width, height);
        EXPECT_GE(14 * scales.unit * scales.text * scales.sentence, height / 21 - 0.01F) << width;
    }
    EXPECT_EQ(scales_for(look_of(1, false), 1, 1920, 1080).sentence, 1);
}

TEST(Scales, zooming_makes_the_sentences_of_a_lecture_larger) {
    float before = 0;
    for (const float zoom : {1.0F, 1.1F, 1.25F, 1.5F}) {
        const Scales scales = scales_for(look_of(zoom, true), 1, 1920, 1080);
        const float em = 14 * scales.unit * scales.text * scales.sentence;
        EXPECT_GT(em, before) << zoom;
        before = em;
    }
    EXPECT_NEAR(before, 1.25F * 1080 / 21, 1);
}

TEST(Scales, a_projector_has_its_own_ink) {
    Look look = look_of(1, false);
    EXPECT_EQ(&palette_for(look), &ui::dark_palette());
    look.theme = Theme::light;
    EXPECT_EQ(&palette_for(look), &ui::light_palette());
    // Light by default, whatever the theme is outside lecture view.
    for (const Theme theme : {Theme::light, Theme::dark}) {
        look = look_of(1, true);
        look.theme = theme;
        EXPECT_EQ(&palette_for(look), &ui::light_projector_palette());
        look.lecture_theme = Theme::dark;
        EXPECT_EQ(&palette_for(look), &ui::dark_projector_palette());
    }
}

}  // namespace
}  // namespace headlight::screens

#include <gtest/gtest.h>

#include <string>

#include "all_stops.h"

// The size of a lecture's sentences, on every page of all lessons.
namespace headlight {
namespace {

using testing::PaneSize;

class LectureType : public testing::AllStops {
  protected:
    // Pages of sentences beside a picture that are drawn in the type of labels.
    [[nodiscard]] int pages_in_small_type(const PaneSize& size) {
        int small = 0, all = 0;
        for_each_stop([&] {
            say("set lecture on");
            for (std::size_t page = 0; page < reader_.pages().size(); ++page) {
                if (page > 0) say("lesson-page next");
                if (reader_.page().asked || reader_.page().fills_window) continue;
                pane_.draw_until_answered(desk_, size, 1);
                const std::string words = pane_.ui().reports().at("lesson.words");
                ++all;
                if (!words.ends_with("small")) continue;
                ++small;
                std::printf("small at %d: %s page %zu\n", size.width, reader_.lesson()->title.c_str(), page + 1);
            }
        });
        EXPECT_GT(all, 300);
        return small;
    }
};

class LectureTypeAt : public LectureType, public ::testing::WithParamInterface<PaneSize> {};

TEST_P(LectureTypeAt, of_sentences_is_large) { EXPECT_EQ(pages_in_small_type(GetParam()), 0); }

TEST_P(LectureTypeAt, of_sentences_is_large_if_the_speaker_zooms) {
    say("set zoom 1.5");
    EXPECT_EQ(pages_in_small_type(GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(LectureType, LectureTypeAt,
                         ::testing::Values(PaneSize{1024, 768}, PaneSize{1920, 1080}));

}  // namespace
}  // namespace headlight

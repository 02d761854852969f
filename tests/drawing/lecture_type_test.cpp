#include <gtest/gtest.h>

#include <string>

#include "all_stops.h"

// The size of a lecture's sentences, on every page of all lessons.
namespace headlight {
namespace {

using testing::PaneSize;

std::string text_of(const lessons::LecturePage& page) {
    std::string all;
    for (const lessons::Block& block : page.blocks)
        if (const auto* text = std::get_if<lessons::Text>(&block.what))
            all += lessons::plain_text(text->prose) + "\n";
    return all;
}

class LectureType : public testing::AllStops, public ::testing::WithParamInterface<PaneSize> {
  protected:
    // Sentences beside a picture may not fall back to the type of labels.
    void expect_large_type() {
        int all = 0;
        for_each_stop([&] {
            say("set lecture on");
            for (std::size_t page = 0; page < reader_.pages().size(); ++page) {
                if (page > 0) say("lesson-page next");
                if (reader_.page().asked || reader_.page().fills_window) continue;
                pane_.draw_until_answered(desk_, GetParam(), 1);
                EXPECT_FALSE(pane_.ui().reports().at("lesson.words").ends_with("small"))
                    << "page " << page + 1 << ": " << text_of(reader_.page());
                ++all;
            }
        });
        EXPECT_GT(all, 300);
    }
};

TEST_P(LectureType, of_sentences_is_large) { expect_large_type(); }

TEST_P(LectureType, of_sentences_is_large_if_the_speaker_zooms) {
    say("set zoom 1.5");
    expect_large_type();
}

INSTANTIATE_TEST_SUITE_P(Pages, LectureType,
                         ::testing::Values(PaneSize{1024, 768}, PaneSize{1920, 1080}));

}  // namespace
}  // namespace headlight

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "all_stops.h"
#include "lessons_screen/lessons.h"

// The callouts of all lessons: what they cover, and how far they are from what they point at.
namespace headlight {
namespace {

using testing::PaneSize;

class Callouts : public testing::AllStops {
  protected:
    // Draws every stop with a callout.
    template <class Check>
    void for_each_callout(const PaneSize& size, bool lecture, const Check& check) {
        int found = 0;
        for_each_stop([&] {
            if (reader_.spotlights().empty()) return;
            say(std::string("set lecture ") + (lecture ? "on" : "off"));
            drawn_ = &pane_.record();
            pane_.draw_until_answered(desk_, size, 1);
            ASSERT_TRUE(pane_.ui().names().contains("lesson.callout.1"));
            check();
            ++found;
        });
        EXPECT_GT(found, 80);
    }

    [[nodiscard]] ui::Rect callout() const {
        return pane_.ui().names().at("lesson.callout.1").rect;
    }
    [[nodiscard]] ui::Rect target() const {
        const ImVec2 window = ImGui::GetIO().DisplaySize;
        return screens::lit_place(pane_.ui(), reader_.spotlights().front().place,
                                  {0, 0, window.x, window.y})
            .value_or(ui::Rect{});
    }
    // Other texts than its own that overlap it by more than their edges.
    [[nodiscard]] std::string covered_texts() const {
        std::string covered;
        const ImVec2 window = ImGui::GetIO().DisplaySize;
        for (const ui::DrawnText& text : drawn_->texts({0, 0, window.x, window.y})) {
            const ui::Rect common = text.rect().common(callout());
            if (common.w > 1 && common.h > 1 && text.color != pane_.ui().colors().on_accent)
                covered += '"' + text.text + "\" ";
        }
        return covered;
    }
    // The part of a matrix that it covers, of the matrix with the largest such part.
    struct Part {
        std::string matrix;
        float covered = 0;
    };
    [[nodiscard]] Part most_covered() const {
        Part most;
        for (const auto& [name, widget] : pane_.ui().names()) {
            if (widget.cells.rows * widget.cells.cols <= 1 || widget.rect.empty()) continue;
            const float covered = widget.rect.common(callout()).area() / widget.rect.area();
            if (covered > most.covered) most = {name, covered};
        }
        return most;
    }
    [[nodiscard]] float distance() const {
        const ui::Rect box = callout(), at = target();
        return std::hypot(std::max({0.0F, box.x - (at.x + at.w), at.x - (box.x + box.w)}),
                          std::max({0.0F, box.y - (at.y + at.h), at.y - (box.y + box.h)}));
    }

    const ui::Recording* drawn_ = nullptr;
};

class CalloutsAt : public Callouts, public ::testing::WithParamInterface<PaneSize> {};

TEST_P(CalloutsAt, of_a_lecture_cover_no_target_no_words_and_little_of_a_matrix) {
    const PaneSize size = GetParam();
    for_each_callout(size, true, [&] {
        EXPECT_EQ(callout().common(target()).area(), 0);
        EXPECT_EQ(covered_texts(), "");
        const Part most = most_covered();
        EXPECT_LE(most.covered, 0.33F) << most.matrix;
        EXPECT_LE(distance(), 0.4F * static_cast<float>(size.height));
    });
}

INSTANTIATE_TEST_SUITE_P(Callouts, CalloutsAt,
                         ::testing::Values(PaneSize{1024, 768}, PaneSize{1280, 720},
                                           PaneSize{1920, 1080}));

TEST_F(Callouts, beside_a_lesson_cover_no_target_no_words_and_little_of_a_matrix) {
    for_each_callout({1280, 720}, false, [&] {
        EXPECT_EQ(callout().common(target()).area(), 0);
        EXPECT_EQ(covered_texts(), "");
        const Part most = most_covered();
        EXPECT_LE(most.covered, 0.33F) << most.matrix;
    });
}

// The picture is as small as the matrix there.
TEST_F(Callouts, on_a_phone_leave_the_picture_beside_the_matrix_free) {
    say("lesson " + testing::source("assets/lessons/1-the-twin-head.md") + " 2");
    for (int frame = 0; frame < 3; ++frame) pane_.draw_until_answered(desk_, {360, 640}, 1);
    const ui::Rect picture = pane_.ui().names().at("stage.image").rect;
    EXPECT_GT(picture.area(), 0);
    EXPECT_LT(callout().common(picture).area(), 0.05F * picture.area());
    EXPECT_EQ(callout().common(target()).area(), 0);
}

}  // namespace
}  // namespace headlight

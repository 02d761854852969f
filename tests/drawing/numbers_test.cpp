#include <gtest/gtest.h>

#include <algorithm>

#include "pane.h"
#include "walks.h"

// The facts about a matrix in the right column of Walk.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;

TEST(Numbers, overlap_nothing_in_windows_of_any_size) {
    Desk desk(testing::cat(), testing::read_source);
    testing::say_all(desk, {"open-model " + testing::source("assets/models/scenes"), "scene 7",
                            "set screen walk", "step softmax", "set fold_numbers open"});
    Pane pane;
    const ui::Recording& drawn = pane.record();
    for (const PaneSize size : {PaneSize{960, 1600}, {1024, 1600}, {1280, 1600}, {1600, 1000}}) {
        SCOPED_TRACE(size.width);
        for (int frame = 0; frame < 3; ++frame) pane.draw(desk, size, 1);
        const ui::Rect head = pane.ui().names().at("section.numbers").rect;
        const auto below = drawn.texts(
            {head.x, head.y + head.h, head.w, static_cast<float>(size.height) - head.y - head.h});
        EXPECT_TRUE(std::ranges::any_of(
            below, [](const ui::DrawnText& text) { return text.text == "mean entropy"; }));
        for (std::size_t i = 0; i < below.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const ui::Rect common = below[i].rect().common(below[j].rect());
                EXPECT_FALSE(common.w > 1 && common.h > 2)
                    << below[i].text << " / " << below[j].text;
            }
    }
}

}  // namespace
}  // namespace headlight

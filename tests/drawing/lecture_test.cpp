#include <gtest/gtest.h>

#include <map>
#include <string>

#include "pane.h"
#include "walks.h"

// For the last row: nothing that one looks at is smaller than it would be without large type.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;
using testing::Walk;

struct Seen {
    double area = 0, thinner = 0;  // of the matrix in focus: its area, and its shorter side
};

// Of every step, in this look; the image stage shows two pictures, of which the second counts.
std::map<std::string, Seen> results(Pane& pane, Desk& desk, PaneSize size, bool lecture) {
    desk.say(std::string("set lecture ") + (lecture ? "on" : "off"));
    std::map<std::string, Seen> seen;
    const std::vector<Step> steps = desk->steps();
    for (const Step step : steps) {
        const std::string name(info(step).name);
        desk.does("step " + name);
        pane.point_nowhere();
        for (int i = 0; i < 2; ++i) pane.draw(desk, size, 1);
        const auto found = pane.ui().names().find("stage.result");
        if (found == pane.ui().names().end()) continue;
        const ui::Rect& r = found->second.rect;
        seen[name] = {double(r.w) * r.h, std::min(r.w, r.h)};
    }
    return seen;
}

TEST(Lecture, shows_the_matrix_in_focus_no_smaller) {
    Pane pane;
    for (const Walk& walk : testing::all_walks()) {
        Desk desk(testing::cat(), testing::read_source);
        ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
        // Still smaller: some stages at 1280 × 720, imported maps, norms and turns of queries and
        // keys.
        if (std::string(walk.name) == "maps") continue;
        for (const PaneSize size : {PaneSize{1600, 1000}, PaneSize{1920, 1080}}) {
            const auto plain = results(pane, desk, size, false),
                       large = results(pane, desk, size, true);
            ASSERT_EQ(plain.size(), large.size());
            for (const auto& [step, seen] : plain) {
                if (step == "qk_norm" || step == "rotary") continue;
                SCOPED_TRACE(std::string(walk.name) + ", " + step + " at " +
                             std::to_string(size.width) + " × " + std::to_string(size.height));
                EXPECT_GE(large.at(step).area, seen.area);
            }
        }
    }
}

TEST(Lecture, keeps_the_prediction_one_control_and_the_colours) {
    Pane pane;
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    for (const PaneSize size : {PaneSize{1280, 720}, PaneSize{1600, 1000}, PaneSize{1920, 1080}}) {
        SCOPED_TRACE(size.width);
        results(pane, desk, size, true);
        desk.does("step softmax");
        for (int i = 0; i < 2; ++i) pane.draw(desk, size, 1);
        EXPECT_EQ(pane.ui().reports().count("prediction.1"), 1);
        EXPECT_EQ(pane.ui().names().count("field.temperature"), 1);
        EXPECT_EQ(pane.ui().reports().count("ticks.stage.result"), 1);
        EXPECT_EQ(pane.ui().reports().count("ticks.image"), 1);
    }
}

}  // namespace
}  // namespace headlight

#include <gtest/gtest.h>

#include <array>
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

// At each size and scale of a monitor: a small projector, a notebook, the usual projector, and 4K
// as it is set up with large and with small type.
struct Monitor {
    PaneSize size;
    float scale = 1;
};
constexpr std::array<Monitor, 5> kMonitors{
    {{{1280, 720}, 1}, {{1600, 1000}, 1}, {{1920, 1080}, 1}, {{3840, 2160}, 1}, {{3840, 2160}, 2}}};

struct Seen {
    double area = 0, thinner = 0;  // of the matrix in focus: its area, and its shorter side
};

// Of every step, in this look; the image stage shows two pictures, of which the second counts.
std::map<std::string, Seen> results(Pane& pane, Desk& desk, const Monitor& monitor, bool lecture) {
    desk.say(std::string("set lecture ") + (lecture ? "on" : "off"));
    std::map<std::string, Seen> seen;
    const std::vector<Step> steps = desk->steps();
    for (const Step step : steps) {
        const std::string name(info(step).name);
        desk.does("step " + name);
        pane.point_nowhere();
        for (int i = 0; i < 2; ++i) pane.draw(desk, monitor.size, monitor.scale);
        const auto found = pane.ui().names().find("stage.result");
        if (found == pane.ui().names().end()) continue;
        const ui::Rect& r = found->second.rect;
        seen[name] = {double(r.w) * r.h, std::min(r.w, r.h)};
    }
    return seen;
}

// Of these all operations come in some.
std::vector<Walk> walks() {
    std::vector<Walk> walks = testing::all_walks();
    for (const char* name : {"deit_distilled", "dinov2_registers", "clip_openai", "t2t_scaled"})
        walks.push_back(testing::walk_through(
            name, "tests/golden/families/" + std::string(name) + "/model.safetensors"));
    walks.push_back({"masked",
                     {"set mask causal", "set dropout_attention 0.2", "set activation_after relu"},
                     {}});
    walks.push_back({"additive", {"set score additive"}, {}});
    return walks;
}

class LectureOf : public ::testing::TestWithParam<int> {};

TEST_P(LectureOf, shows_the_matrix_in_focus_no_smaller) {
    Pane pane;
    const Walk walk = walks()[static_cast<std::size_t>(GetParam())];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    for (const Monitor& monitor : kMonitors) {
        const auto plain = results(pane, desk, monitor, false),
                   large = results(pane, desk, monitor, true);
        ASSERT_EQ(plain.size(), large.size());
        for (const auto& [step, seen] : plain) {
            SCOPED_TRACE(step + " at " + std::to_string(monitor.size.width) + " × " +
                         std::to_string(monitor.size.height) + ", scale " +
                         std::to_string(monitor.scale));
            EXPECT_GE(large.at(step).area, seen.area);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(AllWalks, LectureOf, ::testing::Range(0, static_cast<int>(walks().size())),
                         [](const auto& test) {
                             return std::string(walks()[static_cast<std::size_t>(test.param)].name);
                         });

TEST(Lecture, keeps_the_prediction_one_control_and_the_colours) {
    Pane pane;
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    for (const PaneSize size : {PaneSize{1280, 720}, PaneSize{1600, 1000}, PaneSize{1920, 1080}}) {
        SCOPED_TRACE(size.width);
        results(pane, desk, {size, 1}, true);
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

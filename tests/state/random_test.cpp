#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "state/fields.h"
#include "support.h"

namespace headlight {
namespace {

using testing::Desk;

class Monkey {
  public:
    explicit Monkey(unsigned seed) : random_(seed) {}

    std::string line() {
        static const std::vector<std::string> fixed{"undo",
                                                    "undo",
                                                    "redo",
                                                    "pin",
                                                    "unpin",
                                                    "swap",
                                                    "play",
                                                    "pause",
                                                    "toggle-play",
                                                    "cancel",
                                                    "release",
                                                    "compare before",
                                                    "compare difference",
                                                    "compare after",
                                                    "step next",
                                                    "stop next",
                                                    "stop previous",
                                                    "head next",
                                                    "head previous",
                                                    "show help",
                                                    "nonsense",
                                                    "open a.ppm",
                                                    "open b.ppm",
                                                    "open text.ppm",
                                                    "open none.ppm",
                                                    "set weights w.safetensors",
                                                    "set weights bad.safetensors",
                                                    "set weights \"\"",
                                                    "set color grey",
                                                    "set color rgb",
                                                    "scene 7",
                                                    "scene 8",
                                                    "shape-add cross 30 40",
                                                    "shape-delete 2",
                                                    "twin 1",
                                                    "untwin 1",
                                                    "switch-heads-on",
                                                    "set ragged crop",
                                                    "set ragged pad"};
        switch (random_() % 15) {
            case 0:
                return "step " + std::string(all_steps()[random_() % kStepCount].name);
            case 1:
                return "cell " + number(20) + " " + number(60);
            case 2:
                return "focus " + number(30);
            case 3:
                return "head " + number(10);
            case 4:
                return "head-click " + number(10);
            case 5:
                return "solo " + number(10);
            case 6:
                return "set heads " + number(9);
            case 7:
                return "set image_size " + std::to_string(16 + 16 * (random_() % 5));
            case 8:
                return "set patch_size " + std::to_string(8 + 8 * (random_() % 3));
            case 9:
                return "scrub " + number(14) + "." + number(10);
            case 10:
                return "shape-move " + number(5) + " " + number(90) + " " + number(90);
            case 11:
                return "shape " + number(5);
            case 12:
                return "switch-head 1 " + number(6);
            default:
                return fixed[random_() % fixed.size()];
        }
    }
    bool often() { return random_() % 3 == 0; }

  private:
    std::string number(unsigned below) { return std::to_string(random_() % below); }
    std::mt19937 random_;
};

void expect_sound(Workspace& work, const std::string& line) {
    const State& state = work.state();
    const Selection& s = state.selection;
    ASSERT_TRUE(work.trace()) << line;
    const bool before = state.look.compare == Compare::before && work.pinned_trace();
    const Trace& in_view = before ? *work.pinned_trace() : *work.trace();
    const AttentionShape& shape = in_view.shape;
    const auto& scene = state.recipe.scene;
    ASSERT_TRUE(!s.shape || (scene && std::cmp_less(*s.shape, scene->shapes.size()))) << line;
    ASSERT_TRUE(s.head >= 0 && s.head < shape.heads) << line;
    ASSERT_TRUE(!s.token || (*s.token >= 0 && *s.token < shape.queries)) << line;
    if (s.col) {
        // Every result with such columns has the selected one.
        for (const Node& node : in_view.nodes) {
            const Tensor result = node.result();
            if (info(result).cols == s.col_axis) {
                ASSERT_TRUE(*s.col >= 0 && *s.col < in_view.cols(result)) << line;
            }
        }
    }
    ASSERT_TRUE(work.phase() >= 0 && work.phase() <= 1) << line;
    ASSERT_TRUE(state.pinned || state.look.compare == Compare::after) << line;
    ASSERT_TRUE(state.pinned || !work.pinned_trace()) << line;
    if (!work.busy() && work.notice().text.empty()) {
        ASSERT_EQ(work.trace_recipe(), state.recipe) << line;
    }
}

TEST(AnyCommands, keep_the_state_sound) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        Desk desk;
        Monkey monkey(seed);
        for (int i = 0; i < 150; ++i) {
            const std::string line = monkey.line();
            const State before = desk.state();
            const bool good = desk.say(line);
            if (!good) {
                ASSERT_EQ(desk.state(), before) << line;
                ASSERT_TRUE(desk->notice().is_error) << line;
            }
            expect_sound(*desk.operator->(), line);
            if (monkey.often()) desk.settle();
            desk->update(0.05);
            if (monkey.often()) desk->end_gesture();
            expect_sound(*desk.operator->(), line);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(AnyCommands, undo_leads_back_to_the_beginning) {
    for (unsigned seed = 100; seed < 104; ++seed) {
        Desk desk;
        const State start = desk.state();
        Monkey monkey(seed);
        for (int i = 0; i < 60; ++i) desk.does(monkey.line());
        const State end = desk.state();
        int steps = 0;
        while (desk->can_undo()) {
            ASSERT_TRUE(desk.does("undo"));
            ++steps;
        }
        EXPECT_TRUE(same_choices(desk.state(), start));
        while (desk->can_redo()) {
            ASSERT_TRUE(desk.does("redo"));
            --steps;
        }
        EXPECT_EQ(steps, 0);
        EXPECT_TRUE(same_choices(desk.state(), end));
    }
}

}  // namespace
}  // namespace headlight

#include "ui/layout.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pane.h"
#include "ui/plot.h"

// Layouts and axes by themselves; expected places are written out for two pixels per unit.
namespace headlight {
namespace {

class Layout : public ::testing::Test {
  protected:
    // The texts drawn in a frame with two pixels per unit.
    std::vector<ui::DrawnText> drawn(const std::function<void(ui::Context&)>& content) {
        return testing::drawn_by(pane_, content, 2);
    }

    testing::Pane pane_;
};

TEST_F(Layout, items_take_their_places_along_the_sides) {
    drawn([](ui::Context& ui) {
        ui::Layout rest(ui, {10, 20, 300, 200}, 5, 10);
        EXPECT_EQ(rest, (ui::Rect{20, 40, 280, 160}));
        EXPECT_EQ(rest.top(30, 4), (ui::Rect{20, 40, 280, 30}));
        EXPECT_EQ(rest, (ui::Rect{20, 78, 280, 122}));
        EXPECT_EQ(rest.bottom(22), (ui::Rect{20, 178, 280, 22}));
        EXPECT_EQ(rest, (ui::Rect{20, 78, 280, 100}));
        EXPECT_EQ(rest.left(50, 10), (ui::Rect{20, 78, 50, 100}));
        EXPECT_EQ(rest.right(60, 20), (ui::Rect{240, 78, 60, 100}));
        EXPECT_EQ(rest, (ui::Rect{90, 78, 110, 100}));
        rest.skip_left(5);
        rest.skip_bottom(10);
        EXPECT_EQ(rest, (ui::Rect{100, 78, 100, 80}));
        const float line = ui.line(ui::Size::small), large = ui.line(ui::Size::large);
        EXPECT_EQ(rest.row(2, 1), (ui::Rect{100, 78, 100, line + 4}));
        EXPECT_EQ(rest.y, 78 + line + 4 + 2);
        EXPECT_EQ(ui::Layout(rest).last_row(ui::Size::large).h, std::min(rest.h, large));
    });
}

TEST_F(Layout, no_item_takes_more_than_is_left) {
    drawn([](ui::Context& ui) {
        ui::Layout rest(ui, {0, 0, 100, 50});
        EXPECT_EQ(rest.top(60, 8), (ui::Rect{0, 0, 100, 50}));
        EXPECT_EQ(rest, (ui::Rect{0, 50, 100, 0}));
        EXPECT_EQ(rest.bottom(-5), (ui::Rect{0, 50, 100, 0}));
        EXPECT_EQ(rest.right(90, 8), (ui::Rect{10, 50, 90, 0}));
        EXPECT_EQ(rest.w, 0);
    });
}

TEST_F(Layout, parts_are_equal_and_fill_the_rectangle) {
    drawn([](ui::Context& ui) {
        const ui::Layout rest(ui, {10, 20, 340, 70});
        EXPECT_EQ(rest.column(0, 3, 10), (ui::Rect{10, 20, 100, 70}));
        EXPECT_EQ(rest.column(2, 3, 10), (ui::Rect{250, 20, 100, 70}));
        EXPECT_EQ(rest.stacked(1, 2, 5), (ui::Rect{10, 60, 340, 30}));
        EXPECT_EQ(rest.stacked(0, 1, 5), rest);
        EXPECT_EQ(rest.column(0, 3, 200).w, 0);  // gaps alone are wider
    });
}

TEST_F(Layout, words_take_their_own_width) {
    float left = 0, right = 0;
    const ui::TextStyle style;
    const auto texts = drawn([&](ui::Context& ui) {
        const ui::Canvas canvas(ui);
        left = canvas.measure("left", style), right = canvas.measure("right", style);
        ui::Layout row(ui, {20, 30, 300, 40});
        row.words_left("left", style, 10);
        row.words_right("right", style, 4);
        EXPECT_NEAR(row.x, 20 + left + 20, 0.01);
        EXPECT_NEAR(row.x + row.w, 320 - right - 1 - 8, 0.01);
    });
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts[0].text, "left");
    EXPECT_NEAR(texts[0].at.x, 20, 1);
    EXPECT_EQ(texts[1].text, "right");
    EXPECT_NEAR(texts[1].at.x + right, 320, 1);
}

TEST_F(Layout, a_paragraph_is_as_high_as_its_lines) {
    const auto texts = drawn([](ui::Context& ui) {
        ui::Layout rest(ui, {20, 20, 120, 600});
        const std::string words = "one two three four five six seven eight nine ten";
        const float tall = ui::Canvas(ui).measure_wrapped(words, {}, 120).y;
        rest.paragraph(words, {}, 3);
        EXPECT_NEAR(rest.y, 20 + tall + 6, 0.01);
        EXPECT_NEAR(rest.h, 600 - tall - 6, 0.01);
    });
    EXPECT_GT(texts.size(), 1U);
}

// Lines are as full as they can be, and nothing overlaps.
TEST_F(Layout, a_flow_starts_a_line_only_when_an_item_does_not_fit) {
    drawn([](ui::Context& ui) {
        std::mt19937 random(3);
        for (int trial = 0; trial < 50; ++trial) {
            ui::Flow flow({ui, {7, 11, 200, 1e4F}}, 20, 5, 3);
            std::vector<ui::Rect> placed;
            int lines = 1;
            for (int i = 0; i < 30; ++i) {
                const float wide = static_cast<float>(1 + random() % 240);
                placed.push_back(flow.take(wide));
                const ui::Rect& item = placed.back();
                EXPECT_EQ(item.w, std::min(wide, 200.0F));
                EXPECT_LE(item.x + item.w, 207.001F);
                if (i == 0) continue;
                const ui::Rect& last = placed[placed.size() - 2];
                const float next = last.x + last.w + 10;
                if (next + wide > 207) {
                    EXPECT_EQ(item.min().x, 7);
                    EXPECT_EQ(item.y, last.y + 26);
                    ++lines;
                } else {
                    EXPECT_NEAR(item.x, next, 0.01);
                    EXPECT_EQ(item.y, last.y);
                }
            }
            EXPECT_EQ(flow.lines(), lines);
            EXPECT_EQ(flow.bottom(), placed.back().y + 20);
        }
    });
}

TEST_F(Layout, the_first_text_that_fits_is_taken_or_else_the_last) {
    drawn([](ui::Context& ui) {
        const ui::Canvas canvas(ui);
        const float wide = canvas.measure("middle one", {});
        const auto chosen = [&](float width) {
            return first_that_fits(canvas, {"the longest of them", "middle one", "short"}, {},
                                   width);
        };
        EXPECT_EQ(chosen(1000), "the longest of them");
        EXPECT_EQ(chosen(wide), "middle one");
        EXPECT_EQ(chosen(wide - 1), "short");
        EXPECT_EQ(chosen(1), "short");
        EXPECT_EQ(first_that_fits(canvas, {}, {}, 100), "");
    });
}

TEST(Axis, equal_distances_are_equal_differences_or_equal_factors) {
    const ui::Axis linear{-2, 6}, decades{0.1, 100, true};
    EXPECT_DOUBLE_EQ(linear.part(0), 0.25);
    EXPECT_DOUBLE_EQ(linear.value(0.75), 4);
    EXPECT_DOUBLE_EQ(linear.clamped(9), 6);
    EXPECT_NEAR(decades.part(1), 1.0 / 3, 1e-12);
    EXPECT_NEAR(decades.part(10), 2.0 / 3, 1e-12);
    for (const double value : {0.1, 0.37, 1.0, 42.0, 100.0})
        EXPECT_NEAR(decades.value(decades.part(value)), value, 1e-9 * value);
}

TEST(Axes, y_points_upwards) {
    const ui::Axes axes{{10, 20, 100, 50}, {0, 10}, {-1, 1}};
    EXPECT_EQ(axes.at(0, -1).x, 10);
    EXPECT_EQ(axes.at(0, -1).y, 70);
    EXPECT_EQ(axes.at(10, 1).x, 110);
    EXPECT_EQ(axes.at(10, 1).y, 20);
    const ImVec2 back = axes.value_at(axes.at(3, 0.5));
    EXPECT_FLOAT_EQ(back.x, 3);
    EXPECT_FLOAT_EQ(back.y, 0.5F);
    // The second of four bars, 25 pixels wide with the gap: from 0 in the middle, up and down.
    EXPECT_EQ(axes.bar(1, 4, 0.5, 0, 5), (ui::Rect{37.5F, 32.5F, 20, 12.5F}));
    EXPECT_EQ(axes.bar(1, 4, -0.5, 0, 5), (ui::Rect{37.5F, 45, 20, 12.5F}));
    EXPECT_EQ(axes.bar(1, 4, 99, 0, 5), (ui::Rect{37.5F, 20, 20, 25}));  // as far as the axis goes
}

TEST(Plot, steps_are_evenly_spaced_and_a_single_one_is_in_the_middle) {
    const ui::Plot plot{{10, 20, 100, 50}, 4, 0, 2};
    EXPECT_EQ(plot.at(1, 0.5).x, 35);
    EXPECT_EQ(plot.at(1, 0.5).y, 57.5F);
    EXPECT_EQ(plot.step_under({61, 30}), 2);
    EXPECT_EQ(plot.step_under({9, 30}), -1);
    EXPECT_EQ(plot.step_under({9, 30}, 2), 0);
    EXPECT_EQ((ui::Plot{{10, 20, 100, 50}, 0, 0, 2}.at(0, 1).x), 60);
}

TEST_F(Layout, a_curve_leaves_out_what_is_not_finite) {
    drawn([](ui::Context& ui) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        ui::curve(ui, {{0, 0, 100, 100}, {0, 3}, {0, 1}}, {0, 1, 2, 3}, {0, nan, 1, 0.5},
                  ui.colors().text);
    });
    std::size_t paths = 0;
    for (const auto& one : pane_.record().items())
        if (const auto* path = std::get_if<ui::DrawnPath>(&one.what)) {
            ++paths;
            EXPECT_EQ(path->points.size(), 3U);
        }
    EXPECT_EQ(paths, 1U);
}

}  // namespace
}  // namespace headlight

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "disk/read_file.h"
#include "lessons/reader.h"
#include "lessons_screen/lessons.h"
#include "pane.h"
#include "walks.h"

// A lesson beside every screen, in windows with room and with hardly any.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;

State beginning() {
    State state = testing::cat();
    state.recipe.image_height = state.recipe.image_width = 64;
    return state;
}

class LessonPane : public ::testing::Test {
  protected:
    LessonPane()
        : desk_(beginning(), read_file),
          reader_(*desk_.operator->(), testing::source("assets"), beginning()) {
        pane_.read_with(&reader_);
    }

    void say(const std::string& line) {
        ASSERT_TRUE(reader_.obey(parse_command(line))) << line;
        while (desk_->busy() || reader_.busy()) {
            desk_->update(0);
            reader_.update();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    void draw(const PaneSize& size) {
        for (int i = 0; i < 2; ++i) pane_.draw(desk_, size, 1);
    }

    Desk desk_;
    lessons::Reader reader_;
    Pane pane_;
};

TEST_F(LessonPane, is_drawn_in_windows_of_any_size) {
    say("lesson " + testing::source("tests/drawing/lesson.md"));
    const int stops = static_cast<int>(reader_.lesson()->stops.size());
    for (const bool lecture : {false, true})
        for (int stop = 1; stop <= stops; ++stop) {
            say("lesson-stop " + std::to_string(stop));
            if (stop == 1) say("lesson-answer 1 1");
            desk_.does(std::string("set lecture ") + (lecture ? "on" : "off"));
            for (const PaneSize size :
                 {PaneSize{1600, 1000}, {1280, 720}, {640, 480}, {200, 150}, {40, 30}, {3, 2}})
                draw(size);
        }
    desk_.does("set screen lessons");
    for (const PaneSize size : {PaneSize{1600, 1000}, {640, 480}, {40, 30}}) draw(size);
}

// What is written stands within the column, and the column leaves the larger half.
TEST_F(LessonPane, keeps_its_words_in_its_column) {
    say("lesson " + testing::source("tests/drawing/lesson.md"));
    for (const PaneSize size : {PaneSize{1600, 1000}, PaneSize{1280, 720}}) {
        const ui::Recording& drawn = pane_.record();
        draw(size);
        const ui::Rect column = pane_.ui().names().at("lesson.column").rect;
        const ui::Rect screen = pane_.ui().names().at("screen").rect;
        EXPECT_GT(screen.w, 1.5F * column.w);
        for (const ui::DrawnText& text : drawn.texts(column)) {
            EXPECT_GE(text.at.x, column.x) << text.text;
            EXPECT_LE(text.at.x + text.width, column.x + column.w) << text.text;
        }
        const auto words = pane_.texts("lesson.column");
        EXPECT_NE(std::ranges::find(words, "LESSON · A lesson to be drawn"), words.end());
    }
}

// A cell of less than a pixel has a mark that can be seen, and what is in no window has none.
TEST_F(LessonPane, marks_what_can_be_seen_of_a_place) {
    say("lesson " + testing::source("tests/drawing/lesson.md"));
    draw({1600, 1000});
    const ui::Context& ui = pane_.ui();
    const ui::Rect window{0, 0, 1600, 1000};
    const auto cell = ui.area("stage.result[3,3]");
    const auto mark = screens::lit_place(ui, "stage.result[3,3]", window);
    ASSERT_TRUE(cell && mark);
    EXPECT_GE(std::min(mark->w, mark->h), 10);
    EXPECT_NEAR(mark->center().x, cell->center().x, 0.01);
    EXPECT_NEAR(mark->center().y, cell->center().y, 0.01);
    for (const char* place : {"top.open", "top.tab.lessons"})
        EXPECT_TRUE(screens::lit_place(ui, place, window)) << place;
    EXPECT_FALSE(screens::lit_place(ui, "stage.result[3,3]", {0, 0, 20, 20}));
    EXPECT_FALSE(screens::lit_place(ui, "none", window));
}

TEST_F(LessonPane, finds_rows_and_columns_of_a_matrix) {
    say("lesson " + testing::source("tests/drawing/lesson.md"));
    draw({1600, 1000});
    const ui::Context& ui = pane_.ui();
    const ui::Rect whole = ui.names().at("stage.result").rect;
    const auto row = ui.area("stage.result[3,*]"), col = ui.area("stage.result[*,3]"),
               cell = ui.area("stage.result[3,3]");
    ASSERT_TRUE(row && col && cell);
    EXPECT_EQ(row->w, whole.w);
    EXPECT_EQ(col->h, whole.h);
    EXPECT_FLOAT_EQ(cell->x, col->x);
    EXPECT_FLOAT_EQ(cell->y, row->y);
    for (const char* wrong : {"stage.result[999,*]", "stage.result[3]", "stage.result[,3]",
                              "stage.result[-1,3]", "none", "none[1,1]"})
        EXPECT_FALSE(ui.area(wrong)) << wrong;
}

}  // namespace
}  // namespace headlight

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lessons_screen/lessons.h"
#include "lessons_screen/spoken.h"
#include "pane.h"
#include "reads_lessons.h"
#include "tests/scratch_folder.h"
#include "ui/compat.h"
#include "ui/theme.h"

// A lesson beside every screen, in windows with ample and with little space.
namespace headlight {
namespace {

using testing::Pane;
using testing::PaneSize;

class LessonPane : public testing::ReadsLessons {
  protected:
    LessonPane() { pane_.read_with(&reader_); }

    void draw(const PaneSize& size) {
        for (int i = 0; i < 2; ++i) pane_.draw(desk_, size, 1);
    }

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

// Text stays within the column, and the column takes less than half.
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

// Beside a lesson, the Positions screen has little space for the claims about a table.
TEST_F(LessonPane, keeps_the_properties_of_positions_in_their_card) {
    const auto meet = [](const ui::Rect& a, const ui::Rect& b) {
        constexpr float kTouch = 2;
        return a.x + kTouch < b.x + b.w && b.x + kTouch < a.x + a.w && a.y + kTouch < b.y + b.h &&
               b.y + kTouch < a.y + a.h;
    };
    say("lesson " + testing::source("assets/lessons/9-positions.md"));
    for (const int stop : {1, 3, 5})
        for (const PaneSize size :
             {PaneSize{1024, 768}, PaneSize{1280, 720}, PaneSize{1600, 1000}, PaneSize{900, 600}}) {
            SCOPED_TRACE(std::to_string(stop) + " at " + std::to_string(size.width));
            say("lesson-stop " + std::to_string(stop));
            desk_.does("set screen positions");
            desk_.does("set position_page properties");
            pane_.draw_until_answered(desk_, size, 1);
            const ui::Recording& drawn = pane_.record();
            draw(size);
            ASSERT_TRUE(pane_.ui().names().contains("positions.properties"));
            const ui::Rect card = pane_.ui().names().at("positions.properties").rect;
            const ui::Rect screen = pane_.ui().names().at("screen").rect;
            const auto below = drawn.texts({card.x, card.y, card.w, screen.y + screen.h - card.y});
            EXPECT_GE(below.size(), 4U);
            for (std::size_t i = 0; i < below.size(); ++i) {
                EXPECT_LE(below[i].rect().y + below[i].rect().h, card.y + card.h + 1)
                    << below[i].text;
                for (std::size_t j = 0; j < i; ++j)
                    EXPECT_FALSE(meet(below[i].rect(), below[j].rect()))
                        << below[i].text << " / " << below[j].text;
            }
        }
}

// Neither over its target nor over the scale that explains it.
TEST_F(LessonPane, lays_no_call_out_over_what_it_explains) {
    const auto meet = [](const ui::Rect& a, const ui::Rect& b) {
        return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    };
    int seen = 0;
    for (const char* lesson : {"0-first-look", "1-the-twin-head", "7-softmax-and-masks"})
        for (const bool lecture : {false, true}) {
            say("lesson " + testing::source("assets/lessons/" + std::string(lesson) + ".md"));
            desk_.does(std::string("set lecture ") + (lecture ? "on" : "off"));
            const int stops = static_cast<int>(reader_.lesson()->stops.size());
            for (int stop = 1; stop <= stops; ++stop) {
                say("lesson-stop " + std::to_string(stop));
                SCOPED_TRACE(std::string(lesson) + " " + std::to_string(stop) +
                             (lecture ? " in lecture view" : ""));
                pane_.draw_until_answered(desk_, {1920, 1080}, 1);
                if (reader_.spotlights().size() != 1) continue;
                const auto found = pane_.ui().names().find("lesson.callout.1");
                if (found == pane_.ui().names().end()) continue;
                ++seen;
                const ui::Rect box = found->second.rect;
                const auto target = screens::lit_place(
                    pane_.ui(), reader_.spotlights().front().place, {0, 0, 1920, 1080});
                ASSERT_TRUE(target);
                EXPECT_FALSE(meet(box, *target));
                for (const ui::Rect& scale : pane_.ui().kept_clear())
                    EXPECT_FALSE(meet(box, scale)) << scale.x << ", " << scale.y;
            }
        }
    EXPECT_GT(seen, 12);
}

// For the last row: where a stop is about a picture, that is the largest thing.
TEST_F(LessonPane, shows_the_picture_of_a_stop_large_on_a_projector) {
    struct Hall {
        PaneSize size;
        float least = 0;  // of the height
    };
    for (const auto& [lesson, stop, name] : {std::tuple{"0-first-look", 1, "image.patches"},
                                             {"0-first-look", 2, "image.patches"},
                                             {"1-the-twin-head", 3, "image.patches"},
                                             {"1-the-twin-head", 4, "heads.large"},
                                             {"1-the-twin-head", 7, "image.patches"},
                                             {"1-the-twin-head", 11, "heads.large"}})
        for (const Hall& hall :
             {Hall{{1920, 1080}, 0.6F}, Hall{{1280, 720}, 0.58F}, Hall{{1024, 768}, 0.34F}}) {
            SCOPED_TRACE(std::string(lesson) + " " + std::to_string(stop) + " at " +
                         std::to_string(hall.size.width));
            say("lesson " + testing::source("assets/lessons/" + std::string(lesson) + ".md") + " " +
                std::to_string(stop));
            desk_.does("set lecture on");
            pane_.draw_until_answered(desk_, hall.size, 1);
            ASSERT_TRUE(pane_.ui().names().contains(name));
            const ui::Rect& picture = pane_.ui().names().at(name).rect;
            EXPECT_GE(picture.h, hall.least * static_cast<float>(hall.size.height));
        }
}

// It lies on an empty part of a plane, rather than far away.
TEST_F(LessonPane, points_at_a_plane_from_nearby) {
    for (const auto& [lesson, stop] :
         {std::pair{"2-why-attention", 6}, {"4-attention-without-weights", 5}}) {
        SCOPED_TRACE(lesson);
        say("lesson " + testing::source("assets/lessons/" + std::string(lesson) + ".md") + " " +
            std::to_string(stop));
        pane_.draw_until_answered(desk_, {1280, 720}, 1);
        pane_.draw(desk_, {1280, 720}, 1);  // once nothing moves
        ASSERT_TRUE(pane_.ui().names().contains("lesson.callout.1"));
        const ui::Rect box = pane_.ui().names().at("lesson.callout.1").rect;
        const auto target =
            screens::lit_place(pane_.ui(), reader_.spotlights().front().place, {0, 0, 1280, 720});
        ASSERT_TRUE(target);
        const float dx = std::max({0.0F, box.x - target->x - target->w, target->x - box.x - box.w}),
                    dy = std::max({0.0F, box.y - target->y - target->h, target->y - box.y - box.h});
        EXPECT_LT(std::hypot(dx, dy), 240);
    }
}

// A cell smaller than a pixel has a visible mark; one out of view has none.
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
    EXPECT_EQ(ui.name_at(cell->center()), "stage.result[3,3]");
    EXPECT_FALSE(ui.name_at({-5, -5}));
    desk_.does("set widget_names true");
    pane_.point_at(cell->center().x, cell->center().y);
    draw({1600, 1000});
    EXPECT_EQ(ui.reports()["widget.name"], "stage.result[3,3]");
    desk_.does("set widget_names false");
    for (const char* place : {"top.open", "top.tab.lessons"})
        EXPECT_TRUE(screens::lit_place(ui, place, window)) << place;
    EXPECT_FALSE(screens::lit_place(ui, "stage.result[3,3]", {0, 0, 20, 20}));
    EXPECT_FALSE(screens::lit_place(ui, "none", window));
}

// Fraction bars are in the middle of the line; a root sign is before its content.
TEST_F(LessonPane, sets_fractions_and_roots) {
    const ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "equation.md";
    std::ofstream(file) << "# T\n\n## A\nWords $\\frac{aaa}{b b}$ and $\\sqrt{ccc}$.\n";
    say("lesson " + file.string());
    const ui::Recording& drawn = pane_.record();
    draw({1600, 1000});
    const auto text = [&](const std::string& letters) {
        for (const ui::DrawnText& found : drawn.texts({0, 0, 1600, 1000}))
            if (found.text == letters) return found;
        ADD_FAILURE() << letters;
        return ui::DrawnText{};
    };
    const ui::DrawnText above = text("aaa"), below = text("b b"), words = text("Words");
    EXPECT_LT(above.at.y + above.pixels * 0.9F, below.at.y);
    EXPECT_NEAR(above.at.x + above.width / 2, below.at.x + below.width / 2, 1);
    EXPECT_LT(above.pixels, words.pixels);
    EXPECT_LT(above.at.y, words.at.y);
    EXPECT_GT(below.at.y + below.pixels, words.at.y + words.pixels);
    const ui::DrawnText root = text("√"), inside = text("ccc");
    EXPECT_NEAR(root.at.x + root.width, inside.at.x, 1);
    EXPECT_FLOAT_EQ(inside.pixels, words.pixels);
}

// Where a text has ink, from the dots of its letters to its base line, or to the end of a j.
ui::Rect ink_of(const ui::DrawnText& text) {
    const bool descends = text.text.find_first_of("gjpqy") != std::string::npos;
    const float top = text.at.y + text.pixels * 0.18F;
    return {text.at.x, top, text.width, text.pixels * (descends ? 0.79F : 0.62F)};
}

class LimitsPane : public LessonPane {
  protected:
    // Draws a stop with that text, and gives what is drawn in its column.
    std::vector<ui::DrawnText> texts_of(const std::string& words, bool lecture = false) {
        const std::filesystem::path file = folder_.path() / "limits.md";
        std::ofstream(file) << "# T\n\n## A\n" << words << "\n";
        say("lesson " + file.string());
        desk_.does(std::string("set lecture ") + (lecture ? "on" : "off"));
        const ui::Recording& drawn = pane_.record();
        draw({1600, 1000});
        return drawn.texts(pane_.ui().names().at("lesson.column").rect);
    }
    static ui::Rect ink_in(const std::vector<ui::DrawnText>& texts, const std::string& letters) {
        for (const ui::DrawnText& text : texts)
            if (text.text == letters) return ink_of(text);
        ADD_FAILURE() << "no text " << letters;
        return {};
    }

    ScratchFolder folder_;
};

TEST_F(LimitsPane, lie_above_and_below_their_sign) {
    const auto texts =
        texts_of("Sum $\\sum_{j=12}^{NM} x$, product $\\prod_{iii} y$, $\\max_{kk} z$.");
    const ui::Rect sum = ink_in(texts, "∑"), lower = ink_in(texts, "j=12"),
                   upper = ink_in(texts, "NM");
    EXPECT_LT(upper.y + upper.h, sum.y);
    EXPECT_LT(sum.y + sum.h, lower.y);
    EXPECT_NEAR(upper.center().x, sum.center().x, 1);
    EXPECT_NEAR(lower.center().x, sum.center().x, 1);
    EXPECT_LT(upper.h, sum.h);
    for (const auto& [sign, limit] : {std::pair{"∏", "iii"}, {"max", "kk"}}) {
        const ui::Rect above = ink_in(texts, sign), below = ink_in(texts, limit);
        EXPECT_LT(above.y + above.h, below.y) << sign;
        EXPECT_NEAR(above.center().x, below.center().x, 1) << sign;
    }
}

TEST_F(LimitsPane, overlap_nothing) {
    const std::string words =
        "These words fill a line of the column, and then they fill another, gently: ";
    const std::string several = words + "$\\sum_{j=1}^{N} A_{ij} v_j$ " + words +
                                "$\\frac{\\exp S_{ij}}{\\sum_k \\exp S_{ik}}$ " + words +
                                "$\\frac{\\frac{a_j^2}{b}}{\\prod_{i=1}^n x_i}$ " + words +
                                "$\\sqrt{\\sum_{j=1}^n x_j^2} - \\max_j S$ " + words;
    const std::set<std::string> of_limits{"∑", "∏", "max", "j=1", "i=1", "N", "n", "k", "j"};
    for (const bool lecture : {false, true}) {
        const auto texts = texts_of(several, lecture);
        EXPECT_FALSE(ink_in(texts, "∑").empty());
        for (std::size_t i = 0; i < texts.size(); ++i)
            for (std::size_t j = 0; j < texts.size(); ++j) {
                if (i == j || !of_limits.contains(texts[i].text)) continue;
                const ui::Rect a = ink_of(texts[i]), b = ink_of(texts[j]);
                const bool apart = a.x + a.w < b.x + 1 || b.x + b.w < a.x + 1 ||
                                   a.y + a.h < b.y + 0.5F || b.y + b.h < a.y + 0.5F;
                EXPECT_TRUE(apart) << texts[i].text << " and " << texts[j].text;
            }
    }
}

class TablePane : public LimitsPane {
  protected:
    static bool has(const std::vector<ui::DrawnText>& texts, const std::string& word) {
        return std::ranges::find(texts, word, &ui::DrawnText::text) != texts.end();
    }
};

// The columns are as wide as what is shown, which is shorter than the source of a value.
TEST_F(TablePane, tears_no_words) {
    const auto texts = texts_of(
        "| head | mean entropy of its rows |\n|---|---|\n"
        "| softmax | {value mean(attention[0,*]) + mean(attention[1,*]) * 0} bits |\n"
        "| $\\frac{a}{b}$ | {value max(attention[0,*]) + max(attention[1,*]) * 0} |\n");
    for (const char* word : {"head", "softmax", "entropy", "bits"})
        EXPECT_TRUE(has(texts, word)) << word;
}

TEST_F(TablePane, keeps_percent_signs_beside_their_numbers) {
    std::string words = "word";
    for (int i = 0; i < 24; ++i) {  // wherever the line ends
        words += "x";
        const auto texts = texts_of(words + " is a word before 40 %, and **50 %** and 7 of them.");
        EXPECT_TRUE(has(texts, "40 %,")) << words;
        EXPECT_TRUE(has(texts, "50 %")) << words;
        EXPECT_TRUE(has(texts, "7")) << words;
    }
}

// "keys" is a word of the sentence on the screen, and "queries" a term.
TEST_F(LimitsPane, mark_no_word_of_the_sentence_as_a_term) {
    texts_of("Keys and queries.");
    EXPECT_TRUE(pane_.ui().names().contains("term.Key"));
    texts_of("```headlight\nvectors keys=1,0 door=0,1\n```\nKeys and queries.");
    EXPECT_FALSE(pane_.ui().names().contains("term.Key"));
    EXPECT_TRUE(pane_.ui().names().contains("term.Query"));
}

// What the box of a task says is missing.
class TaskPane : public LimitsPane {
  protected:
    // After the commands, in a stop that begins with a token.
    std::string state_of(const std::string& until, const std::vector<std::string>& commands = {}) {
        texts_of("```headlight\nstep softmax\nfocus 6\n```\n\n! Do.\nwith: temperature\nuntil: " +
                 until);
        for (const std::string& command : commands) say(command);
        reader_.update();
        draw({1280, 720});
        return pane_.ui().reports().at("lesson.task.1.state");
    }
};

TEST_F(TaskPane, names_what_is_chosen) {
    EXPECT_EQ(state_of("token = 9"),
              "now token 6 · row 2, column 3, needs token 9 · row 3, column 2");
    EXPECT_EQ(state_of("token = 9", {"release", "release", "release"}),
              "now no token, needs token 9 · row 3, column 2");
}

TEST_F(TaskPane, says_no_target_that_moves) {
    for (const char* sign : {">", "<", ">=", "<="}) {
        const std::string state =
            state_of(std::string("min(attention[0,*]) ") + sign + " 2 * max(attention[1,*])");
        EXPECT_TRUE(state.starts_with("now 0.")) << state;
        EXPECT_EQ(state.find("needs"), std::string::npos) << state;
    }
    EXPECT_NE(state_of("temperature > 3").find("needs more than 3"), std::string::npos);
}

// Without words there is no row for them either.
TEST_F(TaskPane, takes_no_row_for_what_it_does_not_say) {
    const auto end_of_task = [&](const std::string& until) {
        const auto texts = texts_of("! Do.\nuntil: " + until + "\n\nAfterwards.");
        for (const ui::DrawnText& text : texts)
            if (text.text == "Afterwards.") return text.at.y;
        return 0.0F;
    };
    const float silent = end_of_task("temperature > 3 or false");
    EXPECT_GT(silent, 0);
    EXPECT_LT(silent, end_of_task("temperature > 3"));
}

TEST_F(TaskPane, says_what_the_control_shows) {
    EXPECT_EQ(state_of("skip = \"both\"", {"set skip value"}), "now V, needs V and X");
    EXPECT_EQ(state_of("skip = \"both\"").find("model"), std::string::npos);
}

TEST_F(LimitsPane, are_read_to_the_speaker) {
    texts_of("Sum $\\sum_{j=1}^N A_{ij}$ and $\\max_j S$.");
    EXPECT_EQ(screens::spoken(reader_, reader_.stop()), "Sum ∑_(j=1)^N A_ij and max_j S.");
}

// A mouse on the words of a lesson's column, in a window with room for all of them.
class LessonWords : public LessonPane {
  protected:
    void SetUp() override {
        say("lesson " + testing::source("tests/drawing/lesson.md"));
        drawn_ = &pane_.record();
        ImGui::GetIO().DeltaTime = 0.5F;  // between frames: no double clicks
        frame();
        frame();
    }
    void frame() { pane_.draw(desk_, {1600, 2400}, 1); }
    // A position in a text: left edge 0, middle 0.5, right edge 1.
    ImVec2 place(const std::string& text, float part) const {
        for (const ui::DrawnText& drawn :
             drawn_->texts(pane_.ui().names().at("lesson.column").rect))
            if (drawn.text == text)
                return {drawn.at.x + drawn.width * part, drawn.at.y + drawn.pixels / 2};
        ADD_FAILURE() << "no text " << text;
        return {};
    }
    void point(ImVec2 at) {
        pane_.point_at(at.x, at.y);
        frame();
    }
    void press(bool down) {
        pane_.press(down);
        frame();
    }
    void drag(ImVec2 from, ImVec2 to) {
        point(from);
        press(true);
        point({(from.x + to.x) / 2, (from.y + to.y) / 2});
        point(to);
        press(false);
        frame();
    }
    void click(ImVec2 at) {
        point(at);
        press(true);
        press(false);
    }
    std::string selected() const {
        const auto reports = pane_.ui().reports();
        const auto found = reports.find("lesson.selected");
        return found == reports.end() ? "" : found->second;
    }
    void key(const std::string& name) {
        EXPECT_TRUE(pane_.takes_key(name)) << name;
        frame();
    }

    const ui::Recording* drawn_ = nullptr;
};

TEST_F(LessonWords, are_selected_by_a_drag_over_blocks) {
    drag(place("bold", 0), place("matrix", 0.99F));
    EXPECT_EQ(selected(), "bold, code, a matrix");
    drag(place("heading", 0), place("two", 0.99F));
    EXPECT_EQ(selected(), "heading\n\n1. one\n2. two");
    drag(place("within", 0.99F), place("two", 0));
    EXPECT_EQ(selected(), "two\n  • within");
}

TEST_F(LessonWords, are_copied_whole) {
    point(place("bold", 0.5F));
    key("Ctrl+A");
    const std::string all = selected();
    EXPECT_TRUE(
        all.starts_with("A long title that has to be broken into several lines wherever the "
                        "column is narrow\n\nWords, bold, code, a matrix"))
        << all;
    for (const char* part :
         {"$A_{ij} = Q_{i} K_{j}^{T} / \\sqrt 16$. "
          "Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword.\n"
          "A new line. What is stressed.\n\nA heading\n\n1. one\n2. two\n  • within\n\nA "
          "quotation.\n\n"
          "int code() {\n    return 1;\n}\n\na\tb\nc\td\n\nNo such picture\n\n",
          "\n\nA question?\n1. with an answer that is long enough to be broken into lines, as "
          "answers are\n2. and another\n\nSomething to be done."})
        EXPECT_NE(all.find(part), std::string::npos) << part << "\n\n" << all;
    key("Ctrl+C");
    EXPECT_EQ(ImGui::GetClipboardText(), all);
}

TEST_F(LessonWords, are_let_go_by_a_click_or_by_escape) {
    drag(place("bold", 0), place("matrix", 1));
    EXPECT_NE(selected(), "");
    key("Escape");
    EXPECT_EQ(selected(), "");
    EXPECT_FALSE(pane_.takes_key("Escape"));
    EXPECT_FALSE(pane_.takes_key("Ctrl+C"));
    drag(place("bold", 0), place("matrix", 1));
    click({1200, 600});
    EXPECT_EQ(selected(), "");
    drag(place("bold", 0), place("matrix", 1));
    click(place("quotation.", 0.5F));
    EXPECT_EQ(selected(), "");
    drag(place("bold", 0), place("matrix", 1));
    say("lesson-stop 2");
    frame();
    EXPECT_EQ(selected(), "");
}

TEST_F(LessonWords, lead_where_they_lead_unless_they_are_dragged_over) {
    const auto wants = [&](const std::string& verb) {
        return std::ranges::any_of(pane_.wanted(),
                                   [&](const Command& command) { return command.verb == verb; });
    };
    const auto let_go_wants = [&](const std::string& verb) {
        pane_.press(false);
        frame();
        return wants(verb);
    };
    point(place("command", 0.5F));
    press(true);
    EXPECT_TRUE(let_go_wants("step"));
    press(true);
    point(place("command", 0.05F));
    EXPECT_FALSE(let_go_wants("step"));
    EXPECT_TRUE(selected().starts_with("com")) << selected();
    point(place("another", 0.5F));
    press(true);
    EXPECT_TRUE(let_go_wants("lesson-answer"));
    press(true);
    point(place("another", 0));
    EXPECT_FALSE(let_go_wants("lesson-answer"));
    EXPECT_NE(selected(), "");
}

TEST_F(LessonWords, are_drawn_on_the_selection_in_the_color_of_text) {
    drag(place("command", 0), place("command", 1));
    const auto is_ground = [&](const ui::Recording::Item& item) {
        const auto* rect = std::get_if<ui::DrawnRect>(&item.what);
        return rect != nullptr && rect->color == ui::selection_color(pane_.ui().colors()) &&
               rect->rect.contains(place("command", 0.5F));
    };
    EXPECT_TRUE(std::ranges::any_of(drawn_->items(), is_ground));
    for (const ui::DrawnText& text : drawn_->texts(pane_.ui().names().at("lesson.column").rect))
        if (text.text == "command") {
            EXPECT_EQ(text.color, pane_.ui().colors().text);
        }
}

TEST_F(LessonWords, are_scrolled_to_past_the_edge) {
    const auto small = [&] { pane_.draw(desk_, {1280, 720}, 1); };
    small();
    small();
    const ImVec2 from = place("bold", 0);
    pane_.point_at(from.x, from.y);
    small();
    pane_.press(true);
    small();
    pane_.point_at(from.x, 719);
    for (int i = 0; i < 40; ++i) small();
    const std::string text = selected();
    EXPECT_TRUE(text.starts_with("bold, code")) << text;
    EXPECT_NE(text.find("Something to be done."), std::string::npos) << text;
    pane_.press(false);
    small();
}

TEST_F(LessonWords, are_selected_by_clicks) {
    ImGui::GetIO().DeltaTime = 0.01F;
    click(place("heading", 0.5F));
    EXPECT_EQ(selected(), "");
    click(place("heading", 0.5F));
    EXPECT_EQ(selected(), "heading");
    click(place("heading", 0.5F));
    EXPECT_EQ(selected(), "A heading");
    ImGui::GetIO().DeltaTime = 0.5F;
    click(place("one", 0));
    ui::tell_modifiers(false, true);
    click(place("two", 0.99F));
    EXPECT_EQ(selected(), "one\n2. two");
}

TEST_F(LessonWords, have_a_beam_for_a_cursor) {
    const auto cursor = [&](ImVec2 at) {
        point(at);
        frame();
        return ImGui::GetMouseCursor();
    };
    EXPECT_EQ(cursor(place("bold", 0.5F)), ImGuiMouseCursor_TextInput);
    EXPECT_EQ(cursor(place("command", 0.5F)), ImGuiMouseCursor_Hand);
    EXPECT_EQ(cursor({place("one", 0).x + 200, place("one", 0).y}), ImGuiMouseCursor_Arrow);
}

// The italic face differs from the others.
TEST_F(LessonWords, are_italic_where_they_are_stressed) {
    for (const ui::DrawnText& text : drawn_->texts(pane_.ui().names().at("lesson.column").rect))
        if (text.text == "stressed") {
            EXPECT_EQ(text.face, ui::Face::italic);
            return;
        }
    FAIL() << "not drawn";
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

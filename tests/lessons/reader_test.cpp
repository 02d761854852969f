#include "lessons/reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "state/command.h"
#include "tests/scratch_folder.h"
#include "tests/state/support.h"

namespace headlight::lessons {
namespace {

namespace fs = std::filesystem;
using testing::Desk;
using testing::small_state;

constexpr const char* kTwoStops = R"~(# Title

## One
```headlight
step softmax
head 2
spotlight stage.result[1,*] "row"
```
{value head} {value temperature}

? Which?
- [x] this
- that

! Colder.
until: temperature < 0.5

## Two
```headlight
set temperature 3
step nothing
undo
scene random
open ../../etc/passwd
set image /etc/passwd
save-scene png
```
{value nothing}

## Three
Words.
)~";

class ReaderOfLessons : public ::testing::Test {
  protected:
    ReaderOfLessons() : reader_(*desk_.operator->(), folder_.path() / "assets", small_state()) {
        write(kTwoStops);
        say("lesson " + file_.string());
    }

    void write(const std::string& text) { std::ofstream(file_) << text; }
    void say(const std::string& line) {
        ASSERT_TRUE(desk_->command_table().obey(parse_command(line))) << line;
        settle();
    }
    void settle() {
        while (desk_->busy() || reader_.busy()) {
            desk_->update(0);
            reader_.update();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        reader_.update();
    }
    double value(const std::string& expression) {
        const Measured* found = reader_.measured(expression);
        return found != nullptr && found->value ? std::get<double>(*found->value) : -1;
    }

    ScratchFolder folder_;
    fs::path file_ = folder_.path() / "lesson.md";
    Desk desk_;
    Reader reader_;
};

TEST_F(ReaderOfLessons, runs_the_commands_of_a_stop_and_measures) {
    EXPECT_EQ(desk_.selection().step, Step::softmax);
    EXPECT_EQ(desk_.selection().head, 1);
    EXPECT_EQ(value("head"), 2);
    EXPECT_EQ(value("temperature"), 1);
    ASSERT_EQ(reader_.spotlights().size(), 1U);
    EXPECT_EQ(reader_.spotlights()[0].place, "stage.result[1,*]");
    EXPECT_TRUE(reader_.problems().empty());
    desk_.does("set temperature 0.7");
    settle();
    EXPECT_NEAR(value("temperature"), 0.7, 1e-6);
}

// Where a link of the stop leads, its callouts may be false.
TEST_F(ReaderOfLessons, keeps_its_callouts_only_on_the_screen_that_it_set_up) {
    write(
        "# T\n\n## A\n```headlight\nset screen walk\nstep softmax\nspotlight image.patches "
        "\"here\"\n```\n[On](do:step mix), [there](do:set screen heads).\n");
    say("lesson " + file_.string());
    EXPECT_TRUE(reader_.holds_for("image.patches"));
    desk_.does("set temperature 0.7");
    EXPECT_TRUE(reader_.holds_for("image.patches"));
    desk_.does("step mix");
    EXPECT_FALSE(reader_.is_away());
    EXPECT_FALSE(reader_.holds_for("image.patches"));
    desk_.does("step softmax");
    EXPECT_TRUE(reader_.holds_for("image.patches"));
    desk_.does("set screen heads");
    EXPECT_FALSE(reader_.holds_for("image.patches"));
}

// A user who goes elsewhere has not done the task, and this is no error in the lesson.
TEST_F(ReaderOfLessons, takes_a_task_without_its_value_for_not_yet_done) {
    write(
        "# T\n\n## A\n```headlight\nstep image\n```\n{value stage.result[40,40]}\n\n"
        "! Do.\nuntil: stage.result[40,40] > 2\n");
    say("lesson " + file_.string());
    EXPECT_TRUE(reader_.problems().empty());
    const std::string task = "stage.result[40,40]";  // of the picture's 64 rows
    EXPECT_GE(value(task), 0);
    desk_.does("step softmax");
    settle();
    EXPECT_EQ(value(task), -1);
    EXPECT_TRUE(reader_.problems().empty());
    EXPECT_FALSE(reader_.done(1));
    desk_.does("step image");
    settle();
    EXPECT_GE(value(task), 0);
    // What cannot be evaluated from the beginning is an error in the lesson.
    say("lesson-stop again");
    EXPECT_TRUE(reader_.problems().empty());
    write("# T\n\n## A\n```headlight\nstep image\n```\n\n! Do.\nuntil: nothing > 2\n");
    say("lesson " + file_.string());
    EXPECT_EQ(reader_.problems().size(), 1U);
}

TEST_F(ReaderOfLessons, shows_what_stands_in_an_if_only_while_it_holds) {
    write("# T\n\n## A\nAlways {if temperature < 0.5: cold {value stage.nothing[1,1]}}\n");
    say("lesson " + file_.string());
    EXPECT_TRUE(reader_.problems().empty());  // hidden parts need not be valid
    const auto& text = std::get<Text>(reader_.stop().blocks.at(0).what);
    ASSERT_EQ(text.prose.size(), 3U);
    EXPECT_TRUE(reader_.shows(text.prose[0]));
    EXPECT_FALSE(reader_.shows(text.prose[1]));
    desk_.does("set temperature 0.2");
    settle();
    EXPECT_TRUE(reader_.shows(text.prose[1]));
}

TEST_F(ReaderOfLessons, leaves_in_the_middle_of_a_set_up) {
    write(
        "# T\n\n## A\n{value temperature}\n\n## B\n```headlight\nset temperature 2\nset heads 4\n"
        "set temperature 3\n```\n{value temperature}\n");
    say("lesson-leave keep");
    const State before = desk_.state();
    say("lesson " + file_.string());
    ASSERT_TRUE(desk_->command_table().obey(parse_command("lesson-stop 2")));
    EXPECT_TRUE(reader_.sets_up());
    EXPECT_FALSE(desk_->can_undo());
    say("lesson-leave restore");
    EXPECT_FALSE(reader_.sets_up());
    EXPECT_TRUE(same_choices(desk_.state(), before));
    EXPECT_TRUE(desk_.does("set temperature 0.3"));  // is an undo step again
    EXPECT_TRUE(desk_.does("undo"));
    EXPECT_TRUE(same_choices(desk_.state(), before));
}

TEST_F(ReaderOfLessons, undo_goes_back_to_the_beginning_of_a_stop_and_no_further) {
    for (const char* stop : {"lesson-stop 1", "lesson-stop 3", "lesson-stop previous"}) {
        say(stop);
        const State beginning = desk_.state();
        EXPECT_FALSE(desk_->can_undo()) << stop;
        EXPECT_FALSE(desk_->can_redo()) << stop;
        ASSERT_TRUE(desk_.does("set temperature 0.3"));
        ASSERT_TRUE(desk_.does("vectors four"));
        ASSERT_TRUE(desk_.does("undo"));
        ASSERT_TRUE(desk_.does("undo"));
        EXPECT_TRUE(same_choices(desk_.state(), beginning)) << stop;
        EXPECT_FALSE(desk_.does("undo")) << stop;
        EXPECT_TRUE(same_choices(desk_.state(), beginning)) << stop;
        ASSERT_TRUE(desk_.does("redo"));
        EXPECT_FLOAT_EQ(desk_.state().recipe.temperature, 0.3F);
    }
}

// A slip of the mouse does not lose what the user tried.
TEST_F(ReaderOfLessons, undo_brings_back_what_a_reset_of_the_stop_took) {
    const State beginning = desk_.state();
    ASSERT_TRUE(desk_.does("set temperature 0.3"));
    const State tried = desk_.state();
    say("lesson-stop again");
    EXPECT_TRUE(same_choices(desk_.state(), beginning));
    ASSERT_TRUE(desk_.does("undo"));
    EXPECT_TRUE(same_choices(desk_.state(), tried));
    ASSERT_TRUE(desk_.does("undo"));
    EXPECT_TRUE(same_choices(desk_.state(), beginning));
    EXPECT_FALSE(desk_->can_undo());
}

TEST_F(ReaderOfLessons, begins_without_the_comparison_of_another_experiment) {
    say("lesson-leave keep");
    ASSERT_TRUE(desk_.does("pin"));
    ASSERT_TRUE(desk_.does("compare before"));
    say("lesson " + file_.string());
    EXPECT_FALSE(desk_.state().pinned);
    EXPECT_EQ(desk_.state().look.compare, Compare::after);
    say("lesson-leave restore");
    EXPECT_TRUE(desk_.state().pinned);
}

TEST_F(ReaderOfLessons, follows_no_link_out_of_the_folder) {
    const fs::path inside = folder_.path() / "in";
    fs::create_directory(inside);
    fs::create_symlink(folder_.write("a.png", "no picture"), inside / "a.png");
    fs::create_symlink(folder_.write("b.md", "# B\n## One\n"), inside / "b.md");
    const fs::path lesson =
        folder_.write("in/c.md", "# T\n\n## A\n```headlight\nopen a.png\n```\n\n## [B](b.md#1)\n");
    say("lesson " + lesson.string());
    const auto problems = reader_.problems();
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_NE(problems[0].reason.find("is outside it"), std::string::npos) << problems[0].reason;
    EXPECT_NE(problems[1].reason.find("expected a file in the lesson's folder"), std::string::npos)
        << problems[1].reason;
}

// Application::update: the workspace first, then the reader, then the frame is drawn.
TEST_F(ReaderOfLessons, says_a_new_value_in_the_frame_in_which_it_is_there) {
    for (int step = 1; step <= 10; ++step) {
        const double wanted = 0.1 * step;
        ASSERT_TRUE(desk_.does("set temperature " + std::to_string(wanted)));
        for (; desk_->busy(); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
            desk_->update(0);
        EXPECT_TRUE(reader_.update());
        EXPECT_NEAR(value("temperature"), wanted, 1e-6);
    }
}

TEST_F(ReaderOfLessons, goes_to_the_last_stop) {
    say("lesson-stop last");
    EXPECT_EQ(reader_.stop_number(), 2);
}

TEST_F(ReaderOfLessons, shows_the_same_from_wherever_one_comes) {
    const State first = desk_.state();
    say("lesson-stop 3");
    const State third = desk_.state();
    desk_.does("set temperature 0.2");
    desk_.does("set heads 2");
    say("lesson-stop 1");
    EXPECT_TRUE(same_choices(desk_.state(), first));
    say("lesson-stop next");
    say("lesson-stop next");
    EXPECT_TRUE(same_choices(desk_.state(), third));
}

// Coming from other kinds of tokens selects no token.
TEST_F(ReaderOfLessons, shows_the_same_from_a_stop_on_other_tokens) {
    write(
        "# T\n\n## A\n```headlight\nvectors four\n```\n\n## B\n```headlight\nstep softmax\nhead "
        "2\n```\nWords.\n");
    say("lesson " + file_.string());
    say("lesson-stop 2");
    const Selection after_vectors = desk_->chosen().selection;
    say("lesson-stop again");
    EXPECT_EQ(desk_->chosen().selection, after_vectors);
    say("lesson-stop 1");
    const Selection vectors = desk_->chosen().selection;
    say("lesson-stop again");
    EXPECT_EQ(desk_->chosen().selection, vectors);
}

TEST_F(ReaderOfLessons, keeps_what_is_the_persons_own) {
    desk_.does("set theme light");
    desk_.does("set zoom 1.3");
    say("lesson-stop 3");
    EXPECT_EQ(desk_.state().look.theme, Theme::light);
    EXPECT_FLOAT_EQ(desk_.state().look.zoom, 1.3F);
}

TEST_F(ReaderOfLessons, ticks_a_task_by_what_is_measured) {
    EXPECT_FALSE(reader_.done(2));
    desk_.does("set temperature 0.3");
    settle();
    EXPECT_TRUE(reader_.done(2));
    desk_.does("set temperature 1");
    settle();
    EXPECT_TRUE(reader_.done(2)) << "what was done stays done";
    say("lesson-stop again");
    EXPECT_FALSE(reader_.done(2));
}

TEST_F(ReaderOfLessons, does_a_task_by_its_solution_which_is_no_merit) {
    const fs::path file = folder_.path() / "tasks.md";
    std::ofstream(file) << R"~(# Title

## One
! Colder.
until: temperature < 0.5
solution: set temperature 2
solution: set temperature 0.25

! Warmer.
until: temperature > 3

! Hidden.
until: mask = "causal"
solution: set mask causal
)~";
    say("lesson " + file.string());
    const auto& measured = [&](const std::string& what) { return reader_.measured(what)->value; };
    EXPECT_EQ(measured("temperature"), Value{1.0});
    EXPECT_EQ(measured("0.5"), Value{0.5});
    EXPECT_EQ(measured("temperature < 0.5"), Value{false});
    say("lesson-solve 1");
    EXPECT_TRUE(reader_.done(0));
    EXPECT_FLOAT_EQ(desk_.state().recipe.temperature, 0.25F);
    EXPECT_TRUE(desk_.state().lessons.front().marks.empty());
    for (const char* refused : {"lesson-solve 2", "lesson-solve 4", "lesson-solve 0"})
        EXPECT_THROW((void)desk_->command_table().obey(parse_command(refused)), CommandError);
    desk_.does("set mask causal");
    settle();
    EXPECT_TRUE(reader_.done(2));
    EXPECT_EQ(desk_.state().lessons.front().marks,
              (std::vector{LessonMark{0, 3, LessonResult::done}}));
    say("lesson-stop again");
    desk_.does("set temperature 0.1");
    settle();
    EXPECT_TRUE(reader_.done(0));
    EXPECT_EQ(desk_.state().lessons.front().marks.size(), 2) << "the second time without help";
}

TEST_F(ReaderOfLessons, remembers_answers) {
    say("lesson-answer 1 2");
    EXPECT_EQ(reader_.answer(1), 1);
    say("lesson-stop 3");
    say("lesson-stop 1");
    EXPECT_EQ(reader_.answer(1), 1);
    EXPECT_THROW((void)desk_->command_table().obey(parse_command("lesson-answer 1 3")),
                 CommandError);
    EXPECT_THROW((void)desk_->command_table().obey(parse_command("lesson-answer 2 1")),
                 CommandError);
}

TEST_F(ReaderOfLessons, leaves_a_second_try_where_more_than_two_answers_were) {
    const fs::path file = folder_.path() / "hints.md";
    std::ofstream(file) << R"~(# Title

## One
? Which?
- this
  > Not *this*.
- [x] that
- those
> Because.

? And?
- [x] here
- there
)~";
    say("lesson " + file.string());
    const auto& question = std::get<Question>(reader_.stop().blocks[0].what);
    EXPECT_EQ(plain_text(question.answers[0].hint), "Not this.");
    EXPECT_TRUE(question.answers[2].hint.empty());
    say("lesson-answer 1 1");
    EXPECT_EQ(reader_.first_wrong(0), 0);
    EXPECT_FALSE(reader_.answer(0));
    say("lesson-answer 1 1");
    EXPECT_FALSE(reader_.answer(0)) << "the same once more is no second try";
    say("lesson-answer 1 2");
    EXPECT_EQ(reader_.answer(0), 1);
    say("lesson-answer 1 3");
    EXPECT_EQ(reader_.answer(0), 1) << "what is revealed stays as it was answered";
    say("lesson-answer 2 2");
    EXPECT_EQ(reader_.answer(1), 1);
    const auto& marks = desk_.state().lessons.front().marks;
    ASSERT_EQ(marks.size(), 2);
    EXPECT_EQ(marks[0], (LessonMark{0, 1, LessonResult::second_try}));
    EXPECT_EQ(marks[1], (LessonMark{0, 2, LessonResult::missed}));
}

TEST_F(ReaderOfLessons, says_line_and_reason_of_what_cannot_be_done_and_goes_on) {
    say("lesson-stop 2");
    EXPECT_FLOAT_EQ(desk_.state().recipe.temperature, 3);
    std::vector<int> lines;
    for (const Problem& problem : reader_.problems()) lines.push_back(problem.line);
    EXPECT_EQ(lines, (std::vector<int>{21, 22, 23, 24, 25, 26, 28}));
    EXPECT_TRUE(desk_->notice().text.empty()) << desk_->notice().text;
}

TEST_F(ReaderOfLessons, goes_no_further_than_its_ends) {
    say("lesson-stop previous");
    EXPECT_EQ(reader_.stop_number(), 0);
    say("lesson-stop 3");
    say("lesson-stop next");
    EXPECT_EQ(reader_.stop_number(), 2);
    EXPECT_THROW((void)desk_->command_table().obey(parse_command("lesson-stop 4")), CommandError);
}

TEST_F(ReaderOfLessons, keeps_how_far_one_came) {
    say("lesson-stop 3");
    say("lesson-stop 2");
    ASSERT_EQ(desk_.state().lessons.size(), 1U);
    EXPECT_EQ(desk_.state().lessons[0], (LessonPlace{file_.string(), 1, 2}));
}

// Undo continues with changes from before the lesson; keeping a lesson's state is one undo step.
TEST(LeavingALesson, gives_back_what_could_be_undone) {
    for (const bool keeps : {false, true}) {
        const ScratchFolder folder;
        const fs::path file = folder.path() / "a.md";
        std::ofstream(file) << "# T\n## A\n```headlight\nset temperature 3\n```\n## B\n";
        Desk desk;
        const State first = desk.state();
        desk.does("set temperature 0.4");
        const State before = desk.state();
        Reader reader(*desk.operator->(), folder.path(), small_state());
        const auto say = [&](const std::string& line) {
            (void)desk->command_table().obey(parse_command(line));
            while (desk->busy() || reader.busy()) {
                desk->update(0);
                reader.update();
            }
        };
        say("lesson " + file.string());
        desk.does("set heads 2");
        say("lesson-stop 2");
        say("lesson-stop 1");
        say(keeps ? "lesson-leave keep" : "lesson-leave restore");
        if (keeps) {
            EXPECT_FLOAT_EQ(desk.state().recipe.temperature, 3);
            ASSERT_TRUE(desk.does("undo"));
        }
        EXPECT_TRUE(same_choices(desk.state(), before));
        ASSERT_TRUE(desk.does("undo"));
        EXPECT_TRUE(same_choices(desk.state(), first));
        EXPECT_FALSE(desk->can_undo());
    }
}

TEST(LeavingALesson, restores_what_was_before_or_keeps_what_is_there) {
    for (const bool keeps : {false, true}) {
        const ScratchFolder folder;
        const fs::path file = folder.path() / "a.md";
        std::ofstream(file) << "# T\n## A\n```headlight\nset temperature 3\n```\n";
        Desk desk;
        desk.does("set temperature 0.4");
        Reader reader(*desk.operator->(), folder.path(), small_state());
        (void)desk->command_table().obey(parse_command("lesson " + file.string()));
        while (desk->busy() || reader.busy()) {
            desk->update(0);
            reader.update();
        }
        EXPECT_FLOAT_EQ(desk.state().recipe.temperature, 3);
        (void)desk->command_table().obey(
            parse_command(keeps ? "lesson-leave keep" : "lesson-leave restore"));
        desk.settle();
        EXPECT_EQ(reader.lesson(), nullptr);
        EXPECT_FLOAT_EQ(desk.state().recipe.temperature, keeps ? 3 : 0.4F);
        EXPECT_THROW((void)desk->command_table().obey(parse_command("lesson-stop 1")),
                     CommandError);
    }
}

TEST_F(ReaderOfLessons, reads_again_what_was_written_at_the_same_stop) {
    say("lesson-stop 3");
    EXPECT_FALSE(reader_.look_after_file());
    write("# New\n## Before\nx\n## One\ny\n## Three\nOther words.\n");
    fs::last_write_time(file_, fs::last_write_time(file_) + std::chrono::seconds(2));
    EXPECT_TRUE(reader_.look_after_file());
    EXPECT_EQ(reader_.stop().title, "Three");
    write("");
    fs::last_write_time(file_, fs::last_write_time(file_) + std::chrono::seconds(4));
    EXPECT_FALSE(reader_.look_after_file()) << "half written";
    EXPECT_EQ(reader_.stop().title, "Three");
}

TEST_F(ReaderOfLessons, refuses_what_is_no_lesson) {
    const auto refuses = [&](const std::string& path, const std::string& says) {
        try {
            (void)desk_->command_table().obey({"lesson", {path}});
            ADD_FAILURE() << path;
        } catch (const CommandError& error) {
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    };
    refuses((folder_.path() / "none.md").string(), "found nothing");
    refuses(folder_.path().string(), "found a folder or device");
    const fs::path large = folder_.path() / "large.md", empty = folder_.path() / "empty.md";
    std::ofstream(large) << std::string(300 << 10, 'x');
    refuses(large.string(), "256 kB");
    std::ofstream(empty) << "words";
    refuses(empty.string(), "expected a title");
    EXPECT_NE(reader_.lesson(), nullptr);
}

TEST_F(ReaderOfLessons, lists_what_comes_along_and_what_was_read) {
    fs::create_directories(folder_.path() / "assets" / "lessons");
    for (const char* name : {"10 b.md", "2 a.md", "README.md", "broken.md"})
        std::ofstream(folder_.path() / "assets" / "lessons" / name)
            << (std::string(name) == "broken.md" ? "x" : "# T\n## A\n");
    say("lesson-leave keep");
    std::vector<std::string> names;
    for (const ListedLesson& listed_lesson : reader_.listed())
        names.push_back(fs::path(listed_lesson.file).filename().string());
    EXPECT_EQ(names, (std::vector<std::string>{"2 a.md", "10 b.md", "lesson.md"}));
}

}  // namespace
}  // namespace headlight::lessons

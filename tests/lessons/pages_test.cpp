#include "lessons/pages.h"

#include <gtest/gtest.h>

#include <string>

#include "lessons/read_lesson.h"

// Tests how lecture view splits a stop into pages.
namespace headlight::lessons {
namespace {

std::vector<LecturePage> pages_of(const std::string& text) {
    const Lesson lesson = read_lesson("# L\n\n## A\n" + text);
    return lecture_pages(lesson.stops.front());
}

std::string text_on(const LecturePage& page) {
    std::string all;
    for (const Block& block : page.blocks)
        if (const auto* text = std::get_if<Text>(&block.what))
            all += (all.empty() ? "" : "|") + plain_text(text->prose);
    return all;
}

std::string sentence(char letter, std::size_t letters) {
    return std::string(letters, letter) + ". ";
}

TEST(LecturePages, end_where_a_sentence_does) {
    const auto pages = pages_of(sentence('a', 150) + sentence('b', 90) + sentence('c', 70) + "\n");
    ASSERT_EQ(pages.size(), 2U);
    EXPECT_EQ(text_on(pages[0]).substr(0, 151), std::string(150, 'a') + ".");
    EXPECT_EQ(text_on(pages[0]).find('b'), std::string::npos);
    EXPECT_NE(text_on(pages[1]).find("b. c"), std::string::npos);
}

TEST(LecturePages, hold_fewer_sentences_that_the_speaker_has_zoomed) {
    const Lesson lesson =
        read_lesson("# L\n\n## A\n" + sentence('a', 70) + sentence('b', 70) + "\n");
    EXPECT_EQ(lecture_pages(lesson.stops.front()).size(), 1U);
    EXPECT_EQ(lecture_pages(lesson.stops.front(), sentence_zoom(1)).size(), 1U);
    const auto zoomed = lecture_pages(lesson.stops.front(), sentence_zoom(1.5F));
    ASSERT_EQ(zoomed.size(), 2U);
    EXPECT_EQ(text_on(zoomed[0]).find('b'), std::string::npos);
    EXPECT_EQ(text_on(zoomed[1]).find('a'), std::string::npos);
}

TEST(LecturePages, do_not_end_before_words_in_italics) {
    const std::string first = sentence('a', 100), second = std::string(90, 'b') + " are *heads*. ";
    const auto pages = pages_of(first + second + sentence('c', 150) + "\n");
    for (const LecturePage& page : pages) {
        const std::string text = text_on(page);
        ASSERT_FALSE(text.empty());
        EXPECT_EQ(text.substr(text.find_last_not_of(' '), 1), ".") << text;
    }
}

TEST(LecturePages, show_a_question_alone_and_what_follows_it_later) {
    const auto pages =
        pages_of("Before.\n\n? Which?\n- [x] this\n- that\n> Because.\n\nAfter: it is this.\n");
    ASSERT_EQ(pages.size(), 3U);
    EXPECT_FALSE(pages[0].asked);
    EXPECT_EQ(text_on(pages[0]), "Before.");
    EXPECT_EQ(pages[1].asked, std::optional<std::size_t>(1));
    EXPECT_TRUE(pages[1].blocks.empty());
    EXPECT_EQ(text_on(pages[2]), "After: it is this.");
    EXPECT_EQ(next_asking(pages, 0), std::optional<std::size_t>(1));
    EXPECT_EQ(next_asking(pages, 2), std::optional<std::size_t>(1)) << "from the first one on";
}

TEST(LecturePages, begin_with_the_screen_where_a_stop_begins_with_a_question_or_a_table) {
    for (const char* text :
         {"? Which?\n- [x] this\n- that\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"}) {
        const auto pages = pages_of(text);
        ASSERT_EQ(pages.size(), 2U) << text;
        EXPECT_TRUE(pages[0].blocks.empty());
        EXPECT_FALSE(pages[0].fills_window);
    }
    const auto table = pages_of("| a | b |\n|---|---|\n| 1 | 2 |\n");
    EXPECT_TRUE(table[1].fills_window);
    EXPECT_FALSE(next_asking(table, 0));
}

TEST(LecturePages, of_an_empty_stop_are_one) { EXPECT_EQ(pages_of("\n").size(), 1U); }

}  // namespace
}  // namespace headlight::lessons

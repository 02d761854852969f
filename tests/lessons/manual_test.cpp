#include "lessons/manual.h"

#include <gtest/gtest.h>

#include <fstream>

#include "disk/read_file.h"
#include "lessons/glossary.h"
#include "tests/scratch_folder.h"
#include "tests/source_path.h"

namespace headlight::lessons {
namespace {

class ManualTest : public ::testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) {
        std::ofstream(folder_.path() / name) << text;
    }
    Manual read() {
        write("README.md",
              "# Contents\n\n## First\n\n- [A](a.md): what\n\n## Then\n\n- [B](b.md)\n- "
              "[Gone](gone.md)\n");
        write("a.md",
              "# Page A: long title\n\nBegins here.\n\n## Some `code` & more\n\nSee "
              "[b](b.md#deep).\n\n"
              "```headlight\nset mask causal\n```\n");
        write("b.md",
              "# Page B\n\n## Other\n\n### Deep\n\n| key | meaning |\n|---|---|\n| x | Begins |\n");
        return read_manual(folder_.path());
    }
    ScratchFolder folder_;
};

TEST_F(ManualTest, pages_are_those_of_the_contents_that_can_be_read) {
    const Manual manual = read();
    ASSERT_EQ(manual.pages.size(), 2);
    EXPECT_EQ(manual.pages[0].group, "First");
    EXPECT_EQ(manual.pages[0].title, "Page A: long title");
    ASSERT_EQ(manual.pages[0].sections.size(), 2);
    EXPECT_EQ(manual.pages[0].sections[1].title, "Some code & more");
    // A block of commands is shown but not run.
    EXPECT_NE(manual.pages[0].sections[1].text.find("set mask causal"), std::string::npos);
    ASSERT_EQ(manual.pages[1].sections.size(), 3);
    EXPECT_EQ(manual.page("b.md"), 1);
    EXPECT_EQ(manual.page("gone.md"), std::nullopt);
}

TEST_F(ManualTest, links_lead_to_pages_and_sections) {
    const Manual manual = read();
    EXPECT_EQ(follow_link(manual, 0, "b.md"), (ManualPlace{1, 0}));
    EXPECT_EQ(follow_link(manual, 0, "b.md#deep"), (ManualPlace{1, 2}));
    EXPECT_EQ(follow_link(manual, 0, "#some-code--more"), (ManualPlace{0, 1}));
    EXPECT_EQ(follow_link(manual, 0, "../../LICENSE"), std::nullopt);
}

TEST_F(ManualTest, all_words_are_sought_in_any_case_and_titles_come_first) {
    const Manual manual = read();
    const auto begins = search(manual, "begins");
    ASSERT_EQ(begins.size(), 2);
    EXPECT_EQ(begins[0].place, (ManualPlace{0, 0}));
    EXPECT_EQ(begins[1].place, (ManualPlace{1, 2}));
    EXPECT_EQ(search(manual, "DEEP x").size(), 1);
    EXPECT_EQ(search(manual, "deep causal").size(), 0);
    EXPECT_EQ(search(manual, " ").size(), 0);
    const auto other = search(manual, "b");  // a letter of many words
    ASSERT_FALSE(other.empty());
    EXPECT_EQ(other.front().place.page, 1);
}

TEST(ShippedManual, has_every_page_and_finds_what_people_look_for) {
    const Manual manual = read_manual(source_path("assets/manual"));
    for (const char* page : {"getting-started.md", "walk.md", "heads.md", "positions.md",
                             "lessons.md", "../lessons/README.md", "glossary.md"})
        EXPECT_TRUE(manual.page(page)) << page;
    for (const char* words : {"DINOv2", "times even", "layer 9 head 7", "write a lesson"})
        EXPECT_FALSE(search(manual, words).empty()) << words;
    for (std::size_t p = 0; p < manual.pages.size(); ++p)
        EXPECT_FALSE(manual.pages[p].sections.front().title.empty()) << manual.pages[p].file;
}

TEST(Glossary, knows_terms_by_all_their_names_in_any_number) {
    const Glossary glossary = Glossary::read(
        "# G\n\n## A\n\n**Query, question (Q)**: asks.\n\nNo term.\n\n**Position embedding**: a "
        "vector.\n");
    for (const char* words : {"query", "Queries", "question", "Q"})
        EXPECT_NE(glossary.meaning(words).find("asks."), std::string::npos) << words;
    EXPECT_EQ(glossary.meaning("query"), "Query: asks.");
    EXPECT_EQ(glossary.meaning("position embeddings"), "Position embedding: a vector.");
    EXPECT_EQ(glossary.meaning("no term"), "");
    EXPECT_EQ(glossary.longest(), 2);
}

TEST(Glossary, finds_the_longest_term_that_words_begin_with) {
    const Glossary glossary = Glossary::read(
        "# G\n\n## A\n\n**Position**: where.\n\n**Position embedding**: a vector.\n");
    const auto words_of = [&](std::vector<std::string_view> words) {
        return glossary.first_term(words).words;
    };
    EXPECT_EQ(words_of({"Position", "embeddings", "are"}), 2);
    EXPECT_EQ(words_of({"positions", "embed"}), 1);
    EXPECT_EQ(words_of({"no", "position"}), 0);
    EXPECT_EQ(words_of({}), 0);
    EXPECT_EQ(without_punctuation("(scores,"), "scores");
    EXPECT_EQ(without_punctuation("…"), "…");
}

TEST(Glossary, of_the_manual_explains_the_terms_of_the_lessons) {
    const Glossary glossary = Glossary::read(read_text(source_path("assets/manual/glossary.md")));
    for (const char* words :
         {"attention weights", "score", "residual stream", "class token", "entropy", "RoPE",
          "position embedding", "multi-head self-attention", "patches", "softmax", "MLP"})
        EXPECT_NE(glossary.meaning(words), "") << words;
    for (const char* words : {"before", "means"})  // of every day
        EXPECT_EQ(glossary.meaning(words), "") << words;
}

}  // namespace
}  // namespace headlight::lessons

#include "state/command.h"

#include <gtest/gtest.h>

#include <random>

namespace headlight {
namespace {

using Args = std::vector<std::string>;

TEST(Command, is_words_between_blanks) {
    const Command c = parse_command("  set \t temperature  0.5 \r\n");
    EXPECT_EQ(c.verb, "set");
    EXPECT_EQ(c.args, (Args{"temperature", "0.5"}));
}

TEST(Command, empty_lines_and_comments_say_nothing) {
    for (const char* line : {"", "   ", "\t", "# open x", "   # open x"})
        EXPECT_EQ(parse_command(line), Command{}) << line;
    EXPECT_EQ(parse_command("step next # and on"), command("step", "next"));
}

TEST(Command, a_hash_within_a_word_is_no_comment) {
    EXPECT_EQ(parse_command("open a#b.png"), command("open", "a#b.png"));
    EXPECT_EQ(parse_command("open \"#1.png\""), command("open", "#1.png"));
}

TEST(Command, quotes_keep_blanks_together) {
    EXPECT_EQ(parse_command(R"(open "my cat.png")"), command("open", "my cat.png"));
    EXPECT_EQ(parse_command(R"(open my" "cat.png)"), command("open", "my cat.png"));
    EXPECT_EQ(parse_command(R"(set weights "")"), command("set", "weights", ""));
}

TEST(Command, a_backslash_keeps_quotes_and_backslashes_inside_quotes_only) {
    EXPECT_EQ(parse_command(R"(open "a\"b\\c\d")"), command("open", R"(a"b\c\d)"));
    EXPECT_EQ(parse_command(R"(open C:\cat.png)"), command("open", R"(C:\cat.png)"));
}

TEST(Command, an_open_quote_is_refused) {
    for (const char* line : {"open \"cat", "\"", R"(open "cat\")", R"("a" "b)"})
        EXPECT_THROW(parse_command(line), CommandError) << line;
    const std::string endless = "open \"" + std::string(5000, 'x');
    try {
        parse_command(endless);
        FAIL();
    } catch (const CommandError& e) {
        EXPECT_LT(std::string(e.what()).size(), 200U);
    }
}

TEST(Command, text_reads_as_a_person_would_write_it) {
    EXPECT_EQ(to_text(command("set", "heads", "8")), "set heads 8");
    EXPECT_EQ(to_text(command("open", "my cat.png")), R"(open "my cat.png")");
    EXPECT_EQ(to_text(command("open", R"(C:\cat.png)")), R"(open C:\cat.png)");
    EXPECT_EQ(to_text(Command{}), "");
}

TEST(Command, text_and_back_is_the_same_command) {
    for (const char* arg : {"", " ", "a b", "\"", "\\", "\\\"", "a\\", "\\\\\"\\", "#", "#x", "x#",
                            "Kätzchen 猫.png", "\t", "a\nb", "\xff\xfe", "–"}) {
        EXPECT_EQ(parse_command(to_text(command("open", arg))), command("open", arg)) << arg;
        EXPECT_EQ(parse_command(to_text(command(arg, "x"))), command(arg, "x")) << arg;
    }
}

TEST(Command, any_bytes_survive_text_and_back) {
    std::mt19937 random(1);
    const std::string letters = "ab \\\"#\t\n\xc3\xa4";
    for (int round = 0; round < 20000; ++round) {
        Command c{"v", {}};
        for (auto n = random() % 4; n > 0; --n) {
            std::string& arg = c.args.emplace_back();
            for (auto i = random() % 8; i > 0; --i) arg += letters[random() % letters.size()];
        }
        ASSERT_EQ(parse_command(to_text(c)), c) << to_text(c);
    }
}

TEST(Command, any_line_is_read_or_refused) {
    std::mt19937 random(2);
    const std::string letters = "a \\\"#\t";
    for (int round = 0; round < 20000; ++round) {
        std::string line;
        for (auto i = random() % 12; i > 0; --i) line += letters[random() % letters.size()];
        try {
            const Command c = parse_command(line);
            ASSERT_EQ(parse_command(to_text(c)), c) << line;
        } catch (const CommandError&) {
            ASSERT_NE(line.find('"'), std::string::npos) << line;
        }
    }
}

}  // namespace
}  // namespace headlight

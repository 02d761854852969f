#include "state/command_table.h"

#include <gtest/gtest.h>

#include <set>

#include "state/workspace.h"

namespace headlight {
namespace {

bool takes(std::string_view usage, std::size_t count) {
    try {
        expect_arguments({"verb", usage, ""}, {"verb", std::vector<std::string>(count, "a")});
        return true;
    } catch (const CommandError& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("verb: expected "));
        return false;
    }
}

TEST(CommandTable, a_row_says_how_many_arguments_it_takes) {
    const auto expect = [](std::string_view usage, std::size_t least, std::size_t most) {
        for (std::size_t count = 0; count < 6; ++count)
            EXPECT_EQ(takes(usage, count), count >= least && count <= most) << usage << count;
    };
    expect("", 0, 0);
    expect("N|next|previous", 1, 1);
    expect("SHAPE X Y", 3, 3);
    expect("[MILLISECONDS]", 0, 1);
    expect("PLACE|X [Y]", 1, 2);
    expect("COMMAND [ARGUMENT]...", 1, 100);
}

// A part registers its commands, and they are refused once that part is gone.
TEST(CommandTable, asks_who_registered_last_until_it_is_taken_out) {
    struct Scribe {
        std::string heard;
    };
    static const std::vector<CommandRow<Scribe>> rows{
        {{"say", "WORD", "Says a word."},
         [](Scribe& who, const CommandArgs& args) { who.heard += args[0]; }}};
    CommandTable table;
    Scribe first, second;
    EXPECT_THROW((void)table.obey(command("say", "a")), CommandError);
    table.add(CommandOf::lessons, rows, first);
    table.add(CommandOf::hands, rows, second);
    EXPECT_EQ(table.find("say")->of, CommandOf::hands);
    EXPECT_TRUE(table.obey(command("say", "b")));
    table.take_out(&second);
    EXPECT_TRUE(table.obey(command("say", "c")));
    EXPECT_THROW((void)table.obey(command("say")), CommandError);
    EXPECT_EQ(first.heard, "c");
    EXPECT_EQ(second.heard, "b");
    table.take_out(&first);
    EXPECT_EQ(table.find("say"), nullptr);
}

TEST(CommandTable, the_workspace_lists_each_command_once_with_words) {
    std::set<std::string_view> names;
    for (const CommandInfo& info : Workspace::commands()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_TRUE(info.words.ends_with('.')) << info.name;
    }
    EXPECT_TRUE(names.contains("set"));
}

}  // namespace
}  // namespace headlight

#include "state/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "state/fields.h"
#include "state/keys.h"
#include "support.h"

namespace headlight {
namespace {

using Kind = PaletteEntry::Kind;

std::vector<PaletteEntry> everything(const Workspace& work, ScreenId screen = ScreenId::walk) {
    std::vector<PaletteEntry> entries = palette_commands(work.command_table(), screen);
    for (PaletteEntry& field : palette_fields()) entries.push_back(field);
    return entries;
}

// Names of the matches for a query, best first.
std::vector<std::string> found(const std::vector<PaletteEntry>& entries, std::string_view query) {
    std::vector<std::string> names;
    for (const std::size_t i : palette_matches(entries, query)) names.push_back(entries[i].name);
    return names;
}

bool is_among_first(const std::vector<std::string>& names, std::string_view name,
                    std::size_t count) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(count, names.size()));
    return std::find(names.begin(), end, name) != end;
}

TEST(Palette, lists_every_command_and_field_once) {
    testing::Desk desk;
    std::set<std::pair<Kind, std::string>> names;
    const std::vector<PaletteEntry> entries = everything(*desk.operator->());
    for (const PaletteEntry& entry : entries) {
        EXPECT_TRUE(names.insert({entry.kind, entry.name}).second) << entry.name;
        EXPECT_FALSE(entry.title.empty()) << entry.name;
        const bool says_its_value = entry.usage.empty() && !entry.command.args.empty();
        EXPECT_EQ(entry.words.empty(), says_its_value) << entry.name;
    }
    for (const CommandInfo& info : Workspace::commands())
        EXPECT_TRUE(names.contains({Kind::command, std::string(info.name)})) << info.name;
    for (const Field& field : all_fields())
        EXPECT_TRUE(names.contains({Kind::field, std::string(field.name)})) << field.name;
}

TEST(Palette, finds_each_entry_by_its_name_and_by_its_title) {
    testing::Desk desk;
    const std::vector<PaletteEntry> entries = everything(*desk.operator->());
    for (const PaletteEntry& entry : entries) {
        // A command and a field may share a name.
        EXPECT_TRUE(is_among_first(found(entries, entry.name), entry.name, 2)) << entry.name;
        const auto same = std::ranges::count(entries, entry.title, &PaletteEntry::title);
        EXPECT_TRUE(is_among_first(found(entries, entry.title), entry.name,
                                   static_cast<std::size_t>(same) + 1))
            << entry.title;
    }
}

TEST(Palette, ranks_titles_over_sentences_and_forgives_typing_errors) {
    testing::Desk desk;
    const std::vector<PaletteEntry> entries = everything(*desk.operator->());
    for (const std::string_view query : {"temperature", "temp", "TEMPERATURE", " temperature ",
                                         "tempreature", "temperatur", "temmperature", "tmprt"})
        EXPECT_EQ(found(entries, query).at(0), "temperature") << query;
    EXPECT_EQ(found(entries, "next step").at(0), "step next");
    EXPECT_EQ(found(entries, "step next").at(0), "step next");
    EXPECT_EQ(found(entries, "ctrl+z").at(0), "undo");
    EXPECT_EQ(found(entries, "Ctrl+Shift+Z").at(0), "redo");
    EXPECT_EQ(found(entries, "all heads on").at(0), "switch-heads-on");
    EXPECT_TRUE(found(entries, "temperature zebra").empty());
    EXPECT_TRUE(found(entries, "qqqq").empty());
    EXPECT_EQ(found(entries, "").size(), entries.size());
    EXPECT_EQ(found(entries, "   ").size(), entries.size());
}

TEST(Palette, every_word_of_the_query_counts) {
    const std::vector<PaletteEntry> entries{
        {Kind::command, "a", "Causal mask", "Hides later tokens.", ""},
        {Kind::command, "b", "Mask", "Hides tokens.", ""},
        {Kind::command, "c", "Unmask all", "Shows every token.", ""}};
    EXPECT_EQ(found(entries, "mask"), (std::vector<std::string>{"b", "a", "c"}));
    EXPECT_EQ(found(entries, "mask causal"), (std::vector<std::string>{"a"}));
    EXPECT_EQ(found(entries, "hides later"), (std::vector<std::string>{"a"}));
    EXPECT_EQ(found(entries, "m"), (std::vector<std::string>{"b", "a"}));
}

TEST(Palette, says_keys_only_where_they_mean_the_command) {
    testing::Desk desk;
    const auto key_of = [&](ScreenId screen, std::string_view name) {
        for (const PaletteEntry& entry : everything(*desk.operator->(), screen))
            if (entry.kind == Kind::command && entry.name == name) return entry.key;
        return std::string("none");
    };
    EXPECT_EQ(key_of(ScreenId::walk, "step next"), "→");
    EXPECT_EQ(key_of(ScreenId::heads, "step next"), "");
    EXPECT_EQ(key_of(ScreenId::heads, "undo"), "Ctrl+Z");
    EXPECT_EQ(key_of(ScreenId::walk, "head"), "1…9");
    EXPECT_EQ(key_of(ScreenId::walk, "set screen heads"), "Ctrl+3");
}

// Commands that the palette runs at once need no arguments.
TEST(Palette, commands_without_a_value_are_whole) {
    testing::Desk desk;
    for (const PaletteEntry& entry : palette_commands(desk->command_table(), ScreenId::walk)) {
        const CommandTable::Row* row = desk->command_table().find(entry.command.verb);
        ASSERT_NE(row, nullptr) << entry.name;
        if (entry.usage.empty()) {
            EXPECT_NO_THROW(expect_arguments(*row->info, entry.command)) << entry.name;
        }
    }
}

TEST(Palette, knows_which_arguments_can_be_listed) {
    EXPECT_EQ(palette_arguments("N|next|previous"), (std::vector<std::string>{"next", "previous"}));
    EXPECT_EQ(palette_arguments("[on|off]"), (std::vector<std::string>{"on", "off"}));
    EXPECT_EQ(palette_arguments("PATH [LAYER]"), std::vector<std::string>());
    EXPECT_EQ(palette_arguments("FIELD").size(), all_fields().size());
    EXPECT_EQ(palette_arguments(""), std::vector<std::string>());
    EXPECT_TRUE(all_optional("[FILE]"));
    EXPECT_FALSE(all_optional("FILE"));
}

}  // namespace
}  // namespace headlight

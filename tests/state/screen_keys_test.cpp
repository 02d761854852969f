#include <gtest/gtest.h>

#include <algorithm>

#include "state/keys.h"

// Keys with another meaning on a screen.
namespace headlight {
namespace {

bool lists(std::span<const KeyBinding> keys, std::string_view sign) {
    return std::ranges::any_of(
        keys, [&](const KeyBinding& key) { return key.keys.find(sign) != std::string::npos; });
}

TEST(ScreenKeys, of_heads_take_the_place_of_the_walks) {
    const auto heads = keys_of(ScreenId::heads);
    for (const char* sign : {"←", "↑", "Enter", "X", "Q", "Escape", "PageUp", "Tab"})
        EXPECT_TRUE(lists(heads, sign)) << sign;
    int taken = 0;
    for (const KeyBinding& key : all_keys()) {
        EXPECT_FALSE(is_taken(ScreenId::walk, key)) << key.keys;
        taken += is_taken(ScreenId::heads, key) ? 1 : 0;
        // Keys that open a screen work on every screen.
        if (key.command.starts_with("set screen")) {
            EXPECT_FALSE(is_taken(ScreenId::heads, key)) << key.keys;
        }
    }
    EXPECT_EQ(taken, 13) << "each of the signs that Heads takes stands in the table";
    EXPECT_TRUE(keys_of(ScreenId::walk).empty());
}

TEST(ScreenKeys, of_look_move_the_patch) {
    for (const char* sign : {"←", "↓", "Enter", "Escape", "Tab"})
        EXPECT_TRUE(lists(keys_of(ScreenId::look), sign)) << sign;
    const auto taken = std::ranges::count_if(
        all_keys(), [](const KeyBinding& key) { return is_taken(ScreenId::look, key); });
    EXPECT_EQ(taken, 10) << "each of the signs that Look takes stands in the table";
}

TEST(ScreenKeys, of_a_lecture_mean_nothing_elsewhere_and_few_are_heard_behind_a_dialog) {
    for (const char* sign : {"L", "."}) EXPECT_EQ(scope_of_key(sign), KeyScope::lecture) << sign;
    for (const char* sign : {"Ctrl+Q", "Ctrl++", "Ctrl+-", "Ctrl+0", "Ctrl+E", "Ctrl+Shift+E"})
        EXPECT_EQ(scope_of_key(sign), KeyScope::window) << sign;
    for (const char* sign : {"T", "Ctrl+Z", "Ctrl+O", "Escape", "F11", "Left", "3", "no key"})
        EXPECT_EQ(scope_of_key(sign), KeyScope::screen) << sign;
}

// With two commands on one key, one of them would never run.
TEST(ScreenKeys, mean_one_thing_each) {
    for (const KeyBinding& one : all_keys())
        EXPECT_EQ(std::ranges::count(all_keys(), one.keys, &KeyBinding::keys), 1) << one.keys;
}

}  // namespace
}  // namespace headlight

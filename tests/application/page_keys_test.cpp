#include <gtest/gtest.h>

#include <string>

#include "platform/web/keys.h"

namespace headlight::app {
namespace {

// What a key does, as one line: its name, then the typed character and the name of that.
std::string said(const PageKey& key) {
    const KeyMeaning meaning = meaning_of(key);
    if (meaning.browsers) return "browser";
    std::string text = meaning.name;
    if (meaning.character != 0)
        text += " types " + std::to_string(meaning.character) + " " + meaning.capital;
    return text;
}

TEST(PageKeys, WithoutACharacterHaveNames) {
    EXPECT_EQ(said({"ArrowLeft"}), "←");
    EXPECT_EQ(said({"ArrowRight", false, true}), "Shift+→");
    EXPECT_EQ(said({"PageDown", true}), "Ctrl+PageDown");
    EXPECT_EQ(said({"Escape"}), "Escape");
    EXPECT_EQ(said({" "}), "Space types 32 ");
}

TEST(PageKeys, TypeCharacters) {
    EXPECT_EQ(said({"t"}), " types 116 T");
    EXPECT_EQ(said({"T", false, true}), " types 84 T");
    EXPECT_EQ(said({"?", false, true}), " types 63 ?");
    EXPECT_EQ(said({"ä"}), " types 228 ");
    EXPECT_EQ(said({"中"}), " types 20013 ");
    EXPECT_EQ(said({"😀"}), " types 128512 ");
    // AltGr, which some systems report as Ctrl+Alt
    EXPECT_EQ(said({"@", true, false, true}), " types 64 @");
}

TEST(PageKeys, WithCtrlAreCommands) {
    EXPECT_EQ(said({"k", true}), "Ctrl+K");
    EXPECT_EQ(said({"K", true, true}), "Ctrl+Shift+K");
    EXPECT_EQ(said({"2", true}), "Ctrl+2");
    EXPECT_TRUE(meaning_of({"k", true}).ctrl);
    EXPECT_EQ(meaning_of({"a", true}).edit, ImGuiKey_A);
    EXPECT_EQ(meaning_of({"ArrowLeft"}).edit, ImGuiKey_LeftArrow);
}

// Reload, tabs and the address bar; paste arrives as an event of its own.
TEST(PageKeys, OfTheBrowserAreLeftToIt) {
    for (const char* key : {"r", "t", "w", "l", "p", "v", "R"})
        EXPECT_EQ(said({key, true}), "browser");
    for (const char* key : {"F5", "F12", "Shift", "Dead", "MediaPlayPause", "Unidentified", ""})
        EXPECT_EQ(said({key}), "browser") << key;
    EXPECT_EQ(said({"ArrowLeft", false, false, true}), "browser");  // Alt+←: the previous page
}

}  // namespace
}  // namespace headlight::app

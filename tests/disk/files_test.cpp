#include "disk/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

TEST(FileState, says_what_there_is) {
    const ScratchFolder scratch;
    const fs::path file = scratch.write("a.txt", "12345");
    EXPECT_EQ(state_of(file).kind, FileKind::file);
    EXPECT_EQ(state_of(file).bytes, 5U);
    EXPECT_EQ(state_of(file).written, fs::last_write_time(file));
    EXPECT_EQ(state_of(scratch.path()).kind, FileKind::folder);
    EXPECT_EQ(state_of(scratch.path()).bytes, 0U);
    EXPECT_EQ(state_of(scratch / "none").kind, FileKind::nothing);
    EXPECT_EQ(state_of(file / "below a file").kind, FileKind::nothing);
    EXPECT_EQ(state_of("").kind, FileKind::nothing);
    EXPECT_EQ(state_of("/dev/null").kind, FileKind::device);
    ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(state_of(scratch / "pipe").kind, FileKind::pipe);
}

TEST(FileState, is_that_of_what_a_link_leads_to) {
    const ScratchFolder scratch;
    fs::create_symlink(scratch.write("a.txt", "12"), scratch / "link");
    fs::create_symlink(scratch / "nowhere", scratch / "broken");
    EXPECT_TRUE(is_file(scratch / "link"));
    EXPECT_EQ(state_of(scratch / "link").bytes, 2U);
    EXPECT_FALSE(is_there(scratch / "broken"));
}

TEST(IsWithin, follows_links) {
    const ScratchFolder scratch;
    fs::create_directories(scratch / "in" / "deep");
    fs::create_directories(scratch / "inside");  // begins with the same letters
    fs::create_symlink(scratch.write("out.txt", "1"), scratch / "in" / "leads out");
    fs::create_symlink(scratch.write("in/deep/a.txt", "1"), scratch / "in" / "stays");
    fs::create_symlink(scratch / "in", scratch / "other name");
    for (const fs::path& folder : {scratch / "in", scratch / "in/", scratch / "other name"}) {
        EXPECT_TRUE(is_within(scratch / "in" / "deep" / "a.txt", folder)) << folder;
        EXPECT_TRUE(is_within(scratch / "in" / "stays", folder));
        EXPECT_TRUE(is_within(scratch / "other name" / "not there yet", folder));
        EXPECT_FALSE(is_within(scratch / "in" / "leads out", folder));
        EXPECT_FALSE(is_within(scratch / "in" / ".." / "out.txt", folder));
        EXPECT_FALSE(is_within(scratch / "inside" / "a.txt", folder));
    }
}

TEST(Listing, holds_all_names_or_says_why_not) {
    const ScratchFolder scratch;
    scratch.write("b", "");
    scratch.write(".hidden", "");
    ASSERT_EQ(make_folder(scratch / "folder"), std::nullopt);
    Listing listing = list_folder(scratch.path());
    std::ranges::sort(listing.paths);
    EXPECT_EQ(listing.paths, (std::vector{scratch / ".hidden", scratch / "b", scratch / "folder"}));
    EXPECT_EQ(listing.error, "");
    EXPECT_NE(list_folder(scratch / "none").error.find("does not exist"), std::string::npos);
    EXPECT_NE(list_folder(scratch / "b").error.find("is not a folder"), std::string::npos);
}

TEST(Folders, are_made_with_those_above_them_or_say_why_not) {
    const ScratchFolder scratch;
    EXPECT_EQ(make_folder(scratch / "a" / "b"), std::nullopt);
    EXPECT_EQ(make_folder(scratch / "a" / "b"), std::nullopt);  // it is there already
    EXPECT_TRUE(is_folder(scratch / "a" / "b"));
    scratch.write("file", "");
    EXPECT_TRUE(make_folder(scratch / "file" / "below").has_value());
}

TEST(Files, are_renamed_or_stay) {
    const ScratchFolder scratch;
    scratch.write("a", "1");
    EXPECT_TRUE(rename_file(scratch / "a", scratch / "b"));
    EXPECT_EQ(scratch.read("b"), "1");
    EXPECT_FALSE(rename_file(scratch / "a", scratch / "c"));
    EXPECT_FALSE(is_there(scratch / "c"));
}

TEST(Paths, begin_at_the_root) {
    EXPECT_EQ(absolute_path("a/../b"), working_folder() / "b");
    EXPECT_EQ(absolute_path("/x/./y"), "/x/y");
    EXPECT_EQ(absolute_path(""), "");
}

}  // namespace
}  // namespace headlight

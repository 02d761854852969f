#include "state/directory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class DirectoryTest : public ::testing::Test {
  protected:
    void write(const std::string& name) const { scratch_.write(name, "x"); }

    ScratchFolder scratch_;
    const fs::path root_ = scratch_.path();
};

std::vector<std::string> names(const Directory& directory) {
    std::vector<std::string> all;
    for (const DirectoryEntry& entry : directory.entries) all.push_back(entry.name);
    return all;
}

// The reader's directory once reading has finished.
const Directory& settled(DirectoryReader& reader) {
    do {
        reader.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (reader.reading());
    return reader.directory();
}

TEST_F(DirectoryTest, folders_first_then_images_nothing_hidden) {
    for (const char* name : {"b10.png", "B9.JPG", ".hidden.png", "notes.txt"}) write(name);
    for (const char* name : {"zoo", "Art", ".git"}) fs::create_directory(root_ / name);
    fs::create_symlink(root_ / "nowhere", root_ / "broken.png");
    fs::create_directory_symlink(root_ / "zoo", root_ / "link");

    const Directory directory = read_directory(root_);
    EXPECT_EQ(directory.error, "");
    EXPECT_EQ(names(directory),
              (std::vector<std::string>{"Art", "link", "zoo", "B9.JPG", "b10.png"}));
    EXPECT_EQ(directory.folders, 3U);
    EXPECT_EQ(directory.others, 1U);
    EXPECT_EQ(directory.entries[4].bytes, 1U);
    EXPECT_EQ(directory.entries[4].path, root_ / "b10.png");
}

TEST_F(DirectoryTest, what_cannot_be_read_says_why) {
    write("file.png");
    EXPECT_NE(read_directory(root_ / "gone").error.find("does not exist"), std::string::npos);
    EXPECT_NE(read_directory(root_ / "file.png").error.find("not a folder"), std::string::npos);
    fs::permissions(root_, fs::perms::none);
    const bool root = geteuid() == 0;  // reads everything, so becomes another user for now
    ASSERT_EQ(seteuid(root ? 65534 : geteuid()), 0);
    const std::string error = read_directory(root_).error;
    ASSERT_EQ(seteuid(getuid()), 0);
    EXPECT_NE(error.find("permission"), std::string::npos) << error;
}

TEST_F(DirectoryTest, typed_paths) {
    ASSERT_EQ(setenv("HOME", "/home/ada", 1), 0);
    EXPECT_EQ(typed_path("~", "/x"), "/home/ada/");
    EXPECT_EQ(typed_path(" ~/a b.png ", "/x"), "/home/ada/a b.png");
    EXPECT_EQ(typed_path("../y/cat.png", "/x/z"), "/x/y/cat.png");
    EXPECT_EQ(typed_path("/etc/", "/x"), "/etc/");
    EXPECT_EQ(typed_path("   ", "/x"), "/x");
}

TEST_F(DirectoryTest, the_reader_follows_where_one_goes) {
    fs::create_directory(root_ / "inner");
    write("inner/a.png");
    DirectoryReader reader;
    reader.go(root_);
    EXPECT_EQ(names(settled(reader)), std::vector<std::string>{"inner"});
    reader.go(root_ / "inner/");
    EXPECT_EQ(reader.path(), root_ / "inner");
    EXPECT_TRUE(reader.directory().entries.empty()) << "never the entries of another folder";
    EXPECT_EQ(names(settled(reader)), std::vector<std::string>{"a.png"});
}

TEST_F(DirectoryTest, the_reader_sees_new_files) {
    DirectoryReader reader;
    reader.go(root_);
    EXPECT_TRUE(settled(reader).entries.empty());
    // Longer than the file system's clock tick, so that the folder's time changes.
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    write("new.png");
    EXPECT_EQ(names(settled(reader)), std::vector<std::string>{"new.png"}) << "looked at by itself";
    write("other.png");
    reader.refresh();
    EXPECT_EQ(settled(reader).entries.size(), 2U) << "asked for";
}

}  // namespace
}  // namespace headlight

#include "disk/partial_file.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

TEST(PartialFile, goes_on_where_it_ended) {
    const ScratchFolder folder;
    const fs::path path = folder / "a/b/part";
    PartialFile::open(path)->append(bytes_of("first "));
    const auto file = PartialFile::open(path);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->size(), 6U);
    file->append(bytes_of("second"));
    std::array<std::byte, 5> read{};
    file->read(0, read);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.data()), 5), "first");
    file->move_to(folder / "a/whole");
    EXPECT_EQ(folder.read("a/whole"), "first second");
    EXPECT_FALSE(fs::exists(path));
}

TEST(PartialFile, is_open_once) {
    const ScratchFolder folder;
    const fs::path path = folder / "part";
    auto first = PartialFile::open(path);
    EXPECT_EQ(PartialFile::open(path), nullptr);
    first->append(bytes_of("x"));
    first->move_to(folder / "whole");  // its name is free now, and a new file's
    const auto second = PartialFile::open(path);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(second->size(), 0U);
    first.reset();
    EXPECT_EQ(folder.read("whole"), "x");
}

TEST(PartialFile, is_cut_and_removed) {
    const ScratchFolder folder;
    const auto file = PartialFile::open(folder / "part");
    file->append(bytes_of("12345"));
    file->cut(9);
    EXPECT_EQ(file->size(), 5U);
    file->cut(2);
    file->append(bytes_of("x"));
    EXPECT_EQ(folder.read("part"), "12x");
    file->remove();
    EXPECT_FALSE(fs::exists(folder / "part"));
}

TEST(PartialFile, says_why_it_cannot_be) {
    const ScratchFolder folder;
    folder.write("file", "");
    EXPECT_THROW(PartialFile::open(folder / "file/part"), DiskError);
    fs::create_symlink("file", folder / "link");  // nothing is written through a link
    EXPECT_THROW(PartialFile::open(folder / "link"), DiskError);
    fs::create_directory(folder / "folder");
    EXPECT_THROW(PartialFile::open(folder / "folder"), DiskError);
}

TEST(PartialFile, links_replace_what_was_there) {
    const ScratchFolder folder;
    folder.write("blob", "new");
    folder.write("old", "old");
    fs::create_directory(folder / "snapshot");
    fs::create_symlink("../old", folder / "snapshot/file");
    EXPECT_TRUE(put_link("../blob", folder / "snapshot/file"));
    EXPECT_EQ(folder.read("snapshot/file"), "new");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "snapshot"), {}), 1);
    put_text(folder / "refs/pr/1", "abc");
    put_text(folder / "refs/pr/1", "def");
    EXPECT_EQ(folder.read("refs/pr/1"), "def");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "refs/pr"), {}), 1);
}

TEST(PartialFile, what_a_killed_process_left_is_taken_up) {
    const ScratchFolder folder;
    folder.write("blob", "new");
    fs::create_directory(folder / "snapshot");
    fs::create_symlink("../gone", folder / "snapshot/file.part");
    EXPECT_TRUE(put_link("../blob", folder / "snapshot/file"));
    EXPECT_EQ(folder.read("snapshot/file"), "new");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "snapshot"), {}), 1);
    folder.write("main.part", "a longer text than the next");
    put_text(folder / "main", "abc");
    EXPECT_EQ(folder.read("main"), "abc");
    EXPECT_FALSE(fs::exists(folder / "main.part"));
}

TEST(PartialFile, processes_that_write_the_same_do_not_meet) {
    const ScratchFolder folder;
    folder.write("blob", "whole");
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i)
        writers.emplace_back([&folder] {
            for (int k = 0; k < 50; ++k) {
                EXPECT_TRUE(put_link("blob", folder / "link"));
                put_text(folder / "text", "text");
            }
        });
    writers.clear();
    EXPECT_EQ(folder.read("link"), "whole");
    EXPECT_EQ(folder.read("text"), "text");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3);
}

TEST(PartialFile, room_is_that_of_the_disk) {
    const ScratchFolder folder;
    // Other programs may write in between, so repeats until the free space was constant.
    std::uint64_t before = 0, missing = 0, after = 1;
    for (int i = 0; i < 1000 && before != after; ++i) {
        before = free_bytes(folder.path());
        missing = free_bytes(folder / "not/there/yet");
        after = free_bytes(folder.path());
    }
    EXPECT_EQ(missing, before);
    EXPECT_EQ(before, after);
    EXPECT_GT(free_bytes(folder.path()), 0U);
}

}  // namespace
}  // namespace headlight

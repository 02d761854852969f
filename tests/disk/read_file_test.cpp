#include "disk/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "families/load.h"
#include "files/new_file.h"

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class ReadFile : public testing::Test {
  protected:
    // A file with consecutive byte values.
    [[nodiscard]] std::string file_of(std::uint64_t size) const {
        std::string text(size, '\0');
        for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
        write_file(path(), text);
        return path();
    }
    [[nodiscard]] std::string path() const { return folder_ / "file"; }
    static std::string error_of(const std::function<void()>& work) {
        try {
            work();
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "no error";
    }

    ScratchFolder scratch_;
    const fs::path folder_ = scratch_.path();
};

TEST_F(ReadFile, gives_whole_files_and_parts) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, kLargeFileBytes - 1,
                                     kLargeFileBytes, kLargeFileBytes + 5}) {
        const File file = read_file(file_of(size));
        ASSERT_EQ(file.size(), size);
        const FileBytes all = file.bytes();
        ASSERT_EQ(all.size(), size);
        for (std::size_t i = 0; i < size; i += 4099)
            ASSERT_EQ(std::to_integer<std::size_t>(all.bytes()[i]), i % 251);
        if (size < 300) continue;
        const FileBytes part = file.part(100, 200).part(50, 20).bytes();
        ASSERT_EQ(part.size(), 20U);
        EXPECT_TRUE(std::ranges::equal(part.bytes(), all.bytes().subspan(150, 20)));
    }
}

TEST_F(ReadFile, keeps_a_large_file_on_the_disk) {
    EXPECT_NE(read_file(file_of(kLargeFileBytes - 1)).in_memory(), nullptr);
    EXPECT_EQ(read_file(file_of(kLargeFileBytes)).in_memory(), nullptr);
}

TEST_F(ReadFile, refuses_what_is_no_file) {
    EXPECT_THROW(read_file(path()), FileMissing);
    EXPECT_NE(error_of([&] { read_file(folder_); }).find("found a folder"), std::string::npos);
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    EXPECT_NE(error_of([&] { read_file(path()); }).find("found a pipe"), std::string::npos);
}

// Truncation, as by training scripts that overwrite their last checkpoint, would crash a program
// that has mapped the file.
TEST_F(ReadFile, says_that_a_file_became_shorter) {
    const File file = read_file(file_of(kLargeFileBytes + 100));
    fs::resize_file(path(), 1000);
    for (const auto& read : {std::function<void()>([&] { (void)file.bytes(); }),
                             std::function<void()>([&] { (void)file.part(0, 10).bytes(); })})
        EXPECT_EQ(error_of(read),
                  path() + ": changed while it was read. Open it again when it is complete.");
}

TEST_F(ReadFile, says_that_a_file_was_written_anew) {
    const File file = read_file(file_of(kLargeFileBytes));
    EXPECT_EQ(file.part(0, 10).bytes().size(), 10U);
    fs::last_write_time(path(), fs::last_write_time(path()) + std::chrono::milliseconds(1));
    EXPECT_NE(error_of([&] { (void)file.part(0, 10).bytes(); }).find("changed while"),
              std::string::npos);
}

TEST_F(ReadFile, stays_with_the_file_that_was_opened) {
    const File file = read_file(file_of(kLargeFileBytes));
    write_file(path(), "another file of this name");
    EXPECT_EQ(file.bytes().size(), kLargeFileBytes);
}

TEST_F(ReadFile, stops) {
    const File file = read_file(file_of(kLargeFileBytes));
    int asked = 0;
    EXPECT_THROW((void)file.bytes([&] { return ++asked == 3; }), Stopped);
}

}  // namespace
}  // namespace headlight

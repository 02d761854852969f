#include "system/open_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <thread>

#include "disk/read_file.h"
#include "system/pipe.h"
#include "system/program.h"
#include "tests/scratch_folder.h"

namespace headlight::system {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

TEST(OpenFile, reads_and_writes_at_positions) {
    const ScratchFolder folder;
    const fs::path path = folder / "file";
    OpenFile file(path, Access::make);
    ASSERT_TRUE(file);
    EXPECT_EQ(file.write(4, bytes_of("after")), 5);
    EXPECT_EQ(file.write(0, bytes_of("four")), 4);
    EXPECT_EQ(read_text(path.string()), "fourafter");
    std::array<std::byte, 20> read{};
    EXPECT_EQ(file.read(7, read), 2);
    EXPECT_EQ(file.read(9, read), 0);
    ASSERT_TRUE(file.cut(4));
    EXPECT_EQ(read_text(path.string()), "four");
    FileFacts facts;
    ASSERT_TRUE(file.facts(facts));
    EXPECT_EQ(facts.kind, FileFacts::Kind::file);
    EXPECT_EQ(facts.bytes, 4U);
}

TEST(OpenFile, says_why_it_is_of_none) {
    const ScratchFolder folder;
    EXPECT_FALSE(OpenFile(folder / "none", Access::read));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(OpenFile(folder / "none", Access::write));
    OpenFile(folder / "one", Access::edit);
    EXPECT_FALSE(OpenFile(folder / "one", Access::make));
    EXPECT_EQ(errno, EEXIST);
    FileFacts facts;
    ASSERT_TRUE(OpenFile(folder.path(), Access::read).facts(facts));
    EXPECT_EQ(facts.kind, FileFacts::Kind::folder);
}

TEST(OpenFile, is_locked_until_it_is_closed) {
    const ScratchFolder folder;
    OpenFile first(folder / "file", Access::edit), second(folder / "file", Access::edit);
    ASSERT_TRUE(first.lock());
    EXPECT_FALSE(second.lock());
    EXPECT_EQ(errno, EWOULDBLOCK);
    first.close();
    EXPECT_TRUE(second.lock());
}

TEST(OpenFile, knows_whether_a_name_is_still_its_own) {
    const ScratchFolder folder;
    const OpenFile file(folder / "file", Access::edit);
    EXPECT_TRUE(file.has_name(folder / "file"));
    fs::rename(folder / "file", folder / "moved");
    EXPECT_FALSE(file.has_name(folder / "file"));
    EXPECT_TRUE(file.has_name(folder / "moved"));
    OpenFile(folder / "file", Access::edit);
    EXPECT_FALSE(file.has_name(folder / "file"));
}

TEST(OpenFile, may_get_its_name_last) {
    const ScratchFolder folder;
    OpenFile file = OpenFile::nameless(folder.path());
    if (!file) GTEST_SKIP() << "this file system has no nameless files";
    EXPECT_EQ(file.write(0, bytes_of("text")), 4);
    EXPECT_TRUE(fs::is_empty(folder.path()));
    ASSERT_TRUE(file.set_name(folder / "file"));
    EXPECT_EQ(read_text((folder / "file").string()), "text");
}

TEST(Pipe, is_read_to_its_end) {
    const ScratchFolder folder;
    const fs::path path = folder / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const std::string text(300'000, 'x');
    std::thread writer([&] { (void)OpenFile(path, Access::write).write_next(bytes_of(text)); });
    const auto read = read_pipe(path, [] {});
    writer.join();
    EXPECT_EQ(read.size(), text.size());
}

TEST(Pipe, is_given_up_when_asked) {
    const ScratchFolder folder;
    const fs::path path = folder / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_THROW(read_pipe(path, [] { throw std::runtime_error("enough"); }), std::runtime_error);
}

TEST(Program, has_a_file) { EXPECT_TRUE(fs::is_regular_file(program_file())); }

}  // namespace
}  // namespace headlight::system

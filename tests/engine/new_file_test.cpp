#include "files/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "files/error.h"
#include "tests/scratch_folder.h"

namespace headlight::new_file_test {
namespace {

namespace fs = std::filesystem;

class NewFileTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name = "a") const { return folder_ / name; }
    [[nodiscard]] std::string content(const std::string& name = "a") const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] std::ptrdiff_t files() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }
    static void write(NewFile& file, const std::string& text) {
        file.write(std::as_bytes(std::span(text)));
    }

    ScratchFolder scratch_;
    const fs::path folder_ = scratch_.path();
};

TEST_F(NewFileTest, puts_pieces_together_where_they_belong) {
    const std::string large(300'000, 'x');
    NewFile file(path());
    write(file, "....");
    write(file, large);
    for (int i = 0; i < 30'000; ++i) write(file, "abc");
    file.seek(0);
    write(file, "head");
    file.finish();
    const std::string all = content();
    ASSERT_EQ(all.size(), 4 + large.size() + 90'000);
    EXPECT_TRUE(all.starts_with("headx"));
    EXPECT_TRUE(all.ends_with("xabc") || all.ends_with("abcabc"));
}

TEST_F(NewFileTest, keeps_the_rights_of_the_file_that_it_replaces) {
    write_file(path(), "old");
    ASSERT_EQ(::chmod(path().c_str(), 0640), 0);
    write_file(path(), "new");
    EXPECT_EQ(content(), "new");
    EXPECT_EQ(fs::status(path()).permissions(), fs::perms(0640));
    EXPECT_EQ(files(), 1);
}

TEST_F(NewFileTest, asks_the_umask_for_a_file_that_is_new) {
    const mode_t before = ::umask(0027);
    write_file(path(), "new");
    ::umask(before);
    EXPECT_EQ(fs::status(path()).permissions(), fs::perms(0640));
}

TEST_F(NewFileTest, leaves_nothing_when_the_program_is_killed) {
    write_file(path(), "old");
    const pid_t child = ::fork();
    if (child == 0) {
        NewFile file(path());
        write(file, std::string(1'000'000, 'x'));
        (void)std::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(content(), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(NewFileTest, says_why_it_cannot_write) {
    const auto error_of = [](const std::string& name) -> std::string {
        try {
            write_file(name, "text");
        } catch (const CheckpointError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(error_of("/dev/full"), "/dev/full: cannot be written: No space left on device.");
    EXPECT_EQ(error_of(folder_), folder_.string() + ": cannot be written: it is a directory.");
    EXPECT_EQ(error_of(path("none/a")),
              path("none/a") + ": cannot be written: No such file or directory.");
    EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace headlight::new_file_test

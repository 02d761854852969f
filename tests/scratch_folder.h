#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace headlight {

// A folder on the disk for one test, gone with it.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder() {
        std::error_code shut;  // what a test left shut is opened
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, shut);
        std::filesystem::remove_all(path_, shut);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

    // Both give the file's path back, and what is in it.
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path_ / name;
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    // Tests run beside each other, and so may two builds.
    static std::filesystem::path fresh_name() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(test->test_suite_name()) + "." + test->name();
        std::replace(name.begin(), name.end(), '/', '_');
        return std::filesystem::temp_directory_path() /
               ("headlight." + name + "." + std::to_string(::getpid()));
    }

    std::filesystem::path path_ = fresh_name();
};

}  // namespace headlight

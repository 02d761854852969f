#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace headlight {

// A temporary folder for one test.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder() {
        std::error_code shut;  // restores permissions that a test removed
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, shut);
        std::filesystem::remove_all(path_, shut);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

    // Both return the file's path, and `read` its content.
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path_ / name;
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    // Tests run in parallel, and so may two builds.
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

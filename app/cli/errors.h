#pragma once

#include <algorithm>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace headlight::cli {

// What was asked for makes no sense in itself: exit status 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// It cannot be done with these files: exit status 1.
class WorkError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The standard library's own begin with "filesystem error".
inline std::string sentence_of(const std::exception& error) {
    const auto* of_disk = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    if (of_disk == nullptr) return error.what();
    const std::string path = of_disk->path1().string();
    return (path.empty() ? "The working folder" : path) + ": " + of_disk->code().message() + ".";
}

// Names in what we print come from files: nothing of them may break the line or steer the terminal.
inline std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
    return text;
}

}  // namespace headlight::cli

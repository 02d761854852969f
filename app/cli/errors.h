#pragma once

#include <algorithm>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "program/values.h"

namespace headlight::cli {

// The options are invalid: exit status 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The work failed with these files: exit status 1.
class WorkError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// What `make` returns; a value that is not accepted (ValueError) is invalid usage.
auto or_usage_error(const auto& make) {
    try {
        return make();
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
}

// The message of an exception. Rebuilds those of std::filesystem, which begin with "filesystem
// error".
inline std::string sentence_of(const std::exception& error) {
    const auto* of_disk = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    if (of_disk == nullptr) return error.what();
    const std::string path = of_disk->path1().string();
    return (path.empty() ? "The working folder" : path) + ": " + of_disk->code().message() + ".";
}

// Escapes names from files, so that they can neither break the line nor control the terminal.
inline std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
    return text;
}

}  // namespace headlight::cli

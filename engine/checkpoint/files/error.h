#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/in_quotes.h"

// Error messages of the checkpoint readers.
namespace headlight {

class CheckpointError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// "[3, 100, 49]"
std::string shape_text(const std::vector<std::int64_t>& shape);

// The file being read. Its error messages are one sentence: the file, what was expected, what was
// found.
class Source {
  public:
    explicit Source(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] const std::string& name() const { return name_; }
    [[noreturn]] void refuse(const std::string& expected, const std::string& found) const;
    [[noreturn]] void refuse(const std::string& tensor, const std::string& expected,
                             const std::string& found) const;

  private:
    std::string name_;
};

}  // namespace headlight

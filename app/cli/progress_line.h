#pragma once

#include <functional>
#include <string>

namespace headlight::cli {

// A progress line on standard error that is rewritten in place; only if that is a terminal.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine();  // erases the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& text) const;
    // show(), for work that reports its progress while the line lives.
    [[nodiscard]] std::function<void(const std::string&)> watch() const {
        return [this](const std::string& text) { show(text); };
    }

  private:
    bool terminal_;
};

}  // namespace headlight::cli

#pragma once

#include <string>

namespace headlight::cli {

// One line on standard error that is written again and again, and only where that is a terminal.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine();  // wipes it away
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& text) const;

  private:
    bool terminal_;
};

}  // namespace headlight::cli

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "program/number_ranges.h"

namespace headlight::cli {

// --layers: "all", or numbers counted from 1 such as "1,3" or "1,4-6".
class LayersOption {
  public:
    // Throws UsageError where it is neither.
    explicit LayersOption(const std::string& text);

    [[nodiscard]] bool all() const { return ranges_.all(); }
    // Whether the layer of that index was asked for, after expect_within. Indices count from 0.
    [[nodiscard]] bool has(int index) const;

    // Throws WorkError, naming the file, where it has not so many layers.
    void expect_within(int layers, const std::string& model);

    // Those that were asked for, after expect_within: "1,3".
    [[nodiscard]] std::string numbers() const;
    // A line that says which tensors the chosen layers become; nothing where all are written. A
    // list without a 0 may come from a script that still counts from 0.
    void say(std::ostream& warnings) const;

  private:
    NumberRanges ranges_;
    std::vector<int> chosen_;  // from 0, ascending
};

}  // namespace headlight::cli

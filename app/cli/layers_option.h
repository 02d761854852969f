#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "program/number_ranges.h"

namespace headlight::cli {

// The layers or heads that an option lists. Throws UsageError if the text is no such list.
NumberRanges ranges_of(const char* option, const std::string& text);

// --layers: "all", or numbers counted from 1 such as "1,3" or "1,4-6".
class LayersOption {
  public:
    // Throws UsageError for any other text.
    explicit LayersOption(const std::string& text);

    [[nodiscard]] bool all() const { return ranges_.all(); }
    // Whether the layer with that index, from 0, is selected. Call expect_within first.
    [[nodiscard]] bool has(int index) const;

    // Throws WorkError, naming the file, if it has fewer layers.
    void expect_within(int layers, const std::string& model);

    // The selected layers, "1,3". Call expect_within first.
    [[nodiscard]] std::string numbers() const;
    // Prints a line that maps the selected layers to tensor names; nothing if all are written. It
    // reveals old scripts that still count layers from 0.
    void say(std::ostream& warnings) const;

  private:
    NumberRanges ranges_;
    std::vector<int> chosen_;  // from 0, ascending
};

}  // namespace headlight::cli

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headlight {

// A list of layers or heads, counted from 1: "all", or "3", "1,4-6".
class NumberRanges {
  public:
    // `option`: named in errors. Throws ValueError if the text is neither, or repeats a number. For
    // a list that contains 0, the message suggests the same list counted from 1.
    NumberRanges(std::string option, const std::string& text);

    [[nodiscard]] bool all() const { return ranges_.empty(); }

    // The listed numbers as indices from 0, in the order of the list. Throws ValueError for a
    // number above `count`; `what` names what is counted, such as "layers".
    [[nodiscard]] std::vector<int> of(int count, const std::string& what) const;

  private:
    void expect_each_once() const;

    std::string option_;
    std::vector<std::pair<int, int>> ranges_;  // both ends included; empty: all
};

}  // namespace headlight

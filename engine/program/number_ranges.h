#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headlight {

// Numbers as people count layers and heads, from 1: "all", or "3", "1,4-6".
class NumberRanges {
  public:
    // `option`: named in errors. Throws ValueError where the text is neither, or has a number
    // twice. A list with a 0 is refused with the same list counted from 1.
    NumberRanges(std::string option, const std::string& text);

    [[nodiscard]] bool all() const { return ranges_.empty(); }

    // Those numbers of 1 to `count`, in the order in which they were asked for, from 0. Throws
    // ValueError for one that is beyond; `what`: what is counted, as "layers".
    [[nodiscard]] std::vector<int> of(int count, const std::string& what) const;

  private:
    void expect_each_once() const;

    std::string option_;
    std::vector<std::pair<int, int>> ranges_;  // both ends included; none: all
};

}  // namespace headlight

#pragma once

#include <vector>

namespace headlight::screens {

// A column of a table, in pixels.
struct Column {
    float least = 0;       // the width of its longest word
    float whole_line = 0;  // the width at which none of its cells needs a second line
};

// Widths that fill the table. No column is narrower than its longest word, unless even the longest
// words do not fit beside each other.
std::vector<float> column_widths(const std::vector<Column>& columns, float width);

}  // namespace headlight::screens

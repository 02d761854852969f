#include "lessons_screen/columns.h"

#include <algorithm>

namespace headlight::screens {

std::vector<float> column_widths(const std::vector<Column>& columns, float width) {
    float least = 0, whole_line = 0;
    for (const Column& column : columns) {
        least += column.least;
        whole_line += std::max(column.least, column.whole_line);
    }
    // Every column grows by the same fraction of the way from its least width to the width of its
    // longest line. Room beyond that is shared in proportion.
    const float part =
        whole_line > least ? std::clamp((width - least) / (whole_line - least), 0.0F, 1.0F) : 1;
    std::vector<float> widths;
    float sum = 0;
    for (const Column& column : columns) {
        const float more = std::max(0.0F, column.whole_line - column.least);
        widths.push_back(column.least + part * more);
        sum += widths.back();
    }
    if (sum > 0)
        for (float& each : widths) each *= width / sum;
    return widths;
}

}  // namespace headlight::screens

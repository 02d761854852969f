#include "lessons_screen/columns.h"

#include <algorithm>

namespace headlight::screens {

std::vector<float> column_widths(const std::vector<Column>& columns, float width) {
    float least = 0, wished = 0;
    for (const Column& column : columns) {
        least += column.least;
        wished += std::max(column.least, column.wished);
    }
    // Between their longest words and their wishes, all columns get the same part of the way. Room
    // beyond that is shared in proportion to the wishes.
    const float part =
        wished > least ? std::clamp((width - least) / (wished - least), 0.0F, 1.0F) : 1;
    std::vector<float> widths;
    float sum = 0;
    for (const Column& column : columns) {
        const float more = std::max(0.0F, column.wished - column.least);
        widths.push_back(column.least + part * more);
        sum += widths.back();
    }
    if (sum > 0)
        for (float& each : widths) each *= width / sum;
    return widths;
}

}  // namespace headlight::screens

#pragma once

#include <optional>
#include <string_view>

namespace headlight::ui {

// A part of a heatmap: "stage.result[3,4]" is a cell, "stage.result[3,*]" a row and
// "stage.result[*,4]" a column.
struct Address {
    static constexpr int kAll = -1;
    std::string_view name;
    int row = 0, col = 0;  // from 0, or kAll
};
// Empty if the text has no such suffix.
std::optional<Address> address_of(std::string_view text);

}  // namespace headlight::ui

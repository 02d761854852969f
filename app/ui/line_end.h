#pragma once

#include <cstddef>
#include <string_view>

namespace headlight::ui {

// Whether the text goes on there with the percent sign of a number: "40 %". A line that ends there
// would separate them.
bool is_before_percent(std::string_view text, std::size_t at);

}  // namespace headlight::ui

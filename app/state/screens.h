#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "kernels/names.h"

namespace headlight {

// The program's screens, in the order of their tabs and keys (Ctrl+1 and so on). screens/window
// says what draws each.
enum class ScreenId { look, walk, heads, positions, lessons };

struct ScreenWords {
    std::string_view name;   // in scripts and sessions
    std::string_view title;  // on its tab
    std::string_view what;   // for the help panel
};
inline constexpr auto kScreenWords = std::to_array<ScreenWords>(
    {{"look", "Look", "one picture, and what every head attends to in it"},
     {"walk", "Walk", "one layer, step by step"},
     {"heads", "Heads", "the maps of all heads"},
     {"positions", "Positions", "how the model knows where a patch is"},
     {"lessons", "Lessons", "explanations, tasks and questions"}});

static_assert(has_columns(kScreenWords, &ScreenWords::name, &ScreenWords::title,
                          &ScreenWords::what));

template <>
inline constexpr auto kNames<ScreenId> = [] {
    std::array<std::string_view, kScreenWords.size()> names;
    for (std::size_t k = 0; k < names.size(); ++k) {
        names[k] = kScreenWords[k].name;
    }
    return names;
}();

constexpr const ScreenWords& words_of(ScreenId screen) {
    return kScreenWords[static_cast<std::size_t>(screen)];
}

}  // namespace headlight

#include "window/screens.h"

#include <array>

#include "heads/heads.h"
#include "kernels/names.h"
#include "lessons_screen/lessons.h"
#include "look/look.h"
#include "positions_screen/positions.h"
#include "walk/walk.h"

namespace headlight::screens {

namespace {

constexpr std::array kScreens{
    Screen{ScreenId::look, false, false, look, look_takes_key, look_left},
    Screen{ScreenId::walk, true, false, walk, walk_takes_key},
    Screen{ScreenId::heads, false, false, heads, heads_take_key, nullptr, heads_facts, "heads.",
           export_heads, "features."},
    Screen{ScreenId::positions, false, true, positions, positions_take_key, nullptr, nullptr,
           "positions.", export_positions},
    Screen{ScreenId::lessons, false, false, lessons, nullptr},
};
static_assert(rows_fit(kScreens, &Screen::id, &Screen::draw));

}  // namespace

std::span<const Screen> all_screens() { return kScreens; }

}  // namespace headlight::screens

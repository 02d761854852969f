#include "window/screens.h"

#include <array>

#include "walk/walk.h"

namespace headlight::screens {

namespace {

constexpr std::array kScreens{
    Screen{.id = "walk", .title = "Walk", .draw = walk, .takes_key = walk_takes_key},
};

}  // namespace

std::span<const Screen> all_screens() { return kScreens; }

}  // namespace headlight::screens

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frame/frame.h"

// The controls above the maps, wrapped into as many rows as needed.
namespace headlight::screens {

// In rows as high as a button.
inline ui::Flow flow_in(const Frame& frame, const ui::Rect& rect) {
    return {{frame.ui, rect}, frame.line() + frame.px(8), 10, 6};
}

// A row of buttons; returns the index of the clicked one, or -1. selected: -1: none.
int buttons(Frame& frame, ui::Flow& flow, const std::string& name,
            const std::vector<std::string_view>& labels, int selected, std::string_view tip = {});

struct DropDown {
    std::string name;
    std::vector<std::string_view> options;
    int selected = -1;
    std::vector<std::string> words = {};  // labels; empty: the options themselves
    std::string_view tip = {};
};

// A drop-down list; returns the index of the clicked option, or -1.
int drop_down(Frame& frame, ui::Flow& flow, const DropDown& list);

}  // namespace headlight::screens

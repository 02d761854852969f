#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frame/frame.h"

// The controls above the maps, wrapped into as many rows as needed.
namespace headlight::screens {

// Places controls from left to right, row by row.
class Flow {
  public:
    Flow(const Frame& frame, const ui::Rect& rect)
        : gap_(frame.px(10)),
          between_(frame.px(6)),
          tall_(frame.line() + frame.px(8)),
          all_(rect),
          rest_(all_.cut_top(tall_)) {}

    // Moves to the next row if this one is full; never wider than a row.
    ui::Rect take(float width) {
        if (width > rest_.w && taken_) {
            all_.cut_top(between_);
            rest_ = all_.cut_top(tall_);
            ++rows_;
        }
        taken_ = true;
        const ui::Rect place = rest_.cut_left(width);
        rest_.cut_left(gap_);
        return place;
    }
    // The free part of the current row.
    [[nodiscard]] ui::Rect rest() const { return rest_; }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] float bottom() const { return rest_.y + rest_.h; }

  private:
    float gap_, between_, tall_;
    ui::Rect all_, rest_;
    bool taken_ = false;
    int rows_ = 1;
};

// A row of buttons; returns the index of the clicked one, or -1. selected: -1: none.
int buttons(Frame& frame, Flow& flow, const std::string& name,
            const std::vector<std::string_view>& labels, int selected, std::string_view tip = {});

struct DropDown {
    std::string name;
    std::vector<std::string_view> options;
    int selected = -1;
    std::vector<std::string> words = {};  // labels; empty: the options themselves
    std::string_view tip = {};
};

// A drop-down list; returns the index of the clicked option, or -1.
int drop_down(Frame& frame, Flow& flow, const DropDown& list);

}  // namespace headlight::screens

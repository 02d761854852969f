#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ui/compat.h"

// Which parts of a window another frame changes, so that only they are drawn anew: without a
// graphics card every pixel takes its time, and a pointer that moves changes few of them.
namespace headlight::ui {

// Whole pixels of the window: columns [left, right), rows [top, bottom).
struct Area {
    int left = 0, top = 0, right = 0, bottom = 0;

    [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
    [[nodiscard]] std::int64_t pixels() const {
        return empty() ? 0 : std::int64_t{right - left} * (bottom - top);
    }
    friend bool operator==(const Area&, const Area&) = default;
};

// Compares each frame with the one before, tile by tile: a tile looks as it did where the same
// triangles lie over it in the same order.
class Damage {
  public:
    // A number that no texture has had before, as soon as the one of this name shows something
    // else.
    using Content = std::function<std::uint64_t(ImTextureID)>;

    // Where the frame may look otherwise than the last one, in rectangles that do not overlap.
    // All of it where that is most of it, where it has another size or ground, and at first.
    std::vector<Area> parts(const ImDrawData& frame, ImU32 ground, const Content& content);
    // Nothing is known of what is there any more.
    void forget() { tiles_.clear(); }

  private:
    using Tiles = std::vector<std::uint64_t>;  // row by row: a hash of what lies over each

    Tiles tiles_;
    Area window_;
    ImU32 ground_ = 0;
};

// What of a frame is seen in some parts of the window, and nothing beside it: drawn over the ground
// it gives the pixels of the whole frame, as a triangle's pixels do not depend on where it is cut
// off. Good while the frame is.
class Cutout {
  public:
    Cutout(const ImDrawData& frame, const std::vector<Area>& parts);
    Cutout(const Cutout&) = delete;
    Cutout& operator=(const Cutout&) = delete;

    [[nodiscard]] ImDrawData& data() { return data_; }

  private:
    ImDrawData data_;
    std::vector<std::unique_ptr<ImDrawList>> lists_;
    ImVector<ImDrawList*> pointers_;
};

}  // namespace headlight::ui

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ui/compat.h"

// Finds the parts of a window that a new frame changes, so that only they are redrawn. Without a
// graphics card every pixel is slow, and moving the pointer changes few of them.
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

// Compares each frame with the previous one, tile by tile. A tile is unchanged if the same
// triangles cover it in the same order.
class Damage {
  public:
    // Returns a version number for a texture. It changes, to a number never used before, whenever
    // that texture's content changes.
    using Content = std::function<std::uint64_t(ImTextureID)>;

    // Disjoint rectangles where the frame may differ from the last one. The whole frame if most of
    // it differs, if its size or background color changed, and at first.
    std::vector<Area> parts(const ImDrawData& frame, ImU32 ground, const Content& content);
    // Forgets the previous frame.
    void forget() { tiles_.clear(); }

  private:
    using Tiles = std::vector<std::uint64_t>;  // row by row: a hash of the triangles over each tile

    Tiles tiles_;
    Area window_;
    ImU32 ground_ = 0;
};

// The part of a frame inside some areas of the window. Drawn over the background color, it gives
// the same pixels as the whole frame, because clipping does not change a triangle's pixels. Valid
// as long as the frame.
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

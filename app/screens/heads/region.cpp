#include "heads/region.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "frame/picture.h"
#include "ui/controls.h"

namespace headlight::screens {

namespace {

enum class RegionTool { none, brush, rectangle };

struct RegionDrawing {
    RegionTool tool = RegionTool::none;
    std::string held{};       // the picture on which the button went down; empty: none
    bool inside = true;       // the brush adds patches; else it takes them out
    int first = 0, last = 0;  // patches: where the button went down, and where it was last
};

// All patches on the straight line between two, so that fast strokes have no gaps.
std::vector<int> way_between(int from, int to, int cols) {
    const int down = to / cols - from / cols, across = to % cols - from % cols,
              steps = std::max(std::abs(down), std::abs(across));
    std::vector<int> way;
    for (int i = 1; i <= steps; ++i)
        way.push_back((from / cols + (2 * down * i + steps * (down < 0 ? -1 : 1)) / (2 * steps)) *
                          cols +
                      from % cols + (2 * across * i + steps * (across < 0 ? -1 : 1)) / (2 * steps));
    return way;
}

void brush_patch(Frame& frame, const RegionDrawing& drawing, int patch) {
    frame.say("region-patches", drawing.inside ? "in" : "out", std::to_string(patch));
}

void drag(Frame& frame, RegionDrawing& drawing, int patch, bool begins) {
    if (begins) {
        const PatchGrid& grid = frame.trace.grid;
        drawing.first = drawing.last = patch;
        drawing.inside = !region_on(frame.state.region, grid.rows, grid.cols).contains(patch);
    }
    if (drawing.tool == RegionTool::rectangle) {
        if (begins || patch != drawing.last)
            frame.say("region-rectangle", std::to_string(drawing.first), std::to_string(patch));
    } else if (begins) {
        brush_patch(frame, drawing, patch);
    } else {
        for (const int next : way_between(drawing.last, patch, frame.trace.grid.cols))
            brush_patch(frame, drawing, next);
    }
    drawing.last = patch;
}

}  // namespace

bool draws_region(Frame& frame) {
    return frame.memory.own<RegionDrawing>().tool != RegionTool::none && !frame.before();
}

void draw_region_with_mouse(Frame& frame, const std::string& name, const ui::Rect& picture) {
    RegionDrawing& drawing = frame.memory.own<RegionDrawing>();
    const auto mouse = ui::interact(frame.ui, name, picture, ui::Stop::no);
    const auto [covered, cells] = map_place(frame.trace.grid);
    const Image& image = *frame.trace.image;
    frame.ui.name(name,
                  {{picture.x, picture.y, picture.w * covered.w / static_cast<float>(image.width),
                    picture.h * covered.h / static_cast<float>(image.height)},
                   cells});
    const auto patch = patch_at(frame, picture, ImGui::GetIO().MousePos);
    const bool begins = mouse.hovered && patch && ImGui::IsMouseClicked(0);
    if (begins) drawing.held = name;
    const bool held = drawing.held == name;
    if (mouse.hovered && drawing.held.empty())
        frame.ui.tooltip(drawing.tool == RegionTool::brush
                             ? "Drag over patches to add them to the region or remove them"
                             : "Drag from one corner of the region to the other");
    if (held && !ImGui::IsMouseDown(0)) {
        drawing.held.clear();
        frame.memory.gesture_ended = true;
        return;
    }
    if (held && patch) drag(frame, drawing, *patch, begins);
}

void region_choice(Frame& frame, ui::Flow& flow) {
    RegionDrawing& drawing = frame.memory.own<RegionDrawing>();
    const Region& region = frame.state.region;
    const auto count = region.patches.size();
    const int chosen = buttons(
        frame, flow, "heads.region.tool", {"draw a region", "rectangle"},
        static_cast<int>(drawing.tool) - 1,
        "Marks an object on the large picture. Each head then shows its share of attention on it, "
        "and the features take their colors from it alone.");
    if (chosen >= 0) {
        const auto tool = static_cast<RegionTool>(chosen + 1);
        drawing.tool = tool == drawing.tool ? RegionTool::none : tool;
    }
    const auto button = [&](const char* name, std::string_view label, const char* tip) {
        return ui::button(frame.ui, name, flow.take(ui::button_width(frame.ui, label)), label,
                          ui::ButtonLook::outlined, tip);
    };
    if (button("heads.region.mask", "Open a mask…",
               "Opens an image the size of the picture, bright in the region"))
        frame.say("show", "mask");
    frame.ui.report("heads.region", text_of_patches(region));
    if (region.empty()) return;
    const std::string clear =
        "Remove the region (" + std::to_string(count) + (count == 1 ? " patch)" : " patches)");
    if (!button("heads.region.clear", clear, "Removes the region and its numbers")) return;
    frame.say("region-clear");
    drawing.tool = RegionTool::none;
}

}  // namespace headlight::screens

#include "ui/context.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "ui/canvas.h"

namespace headlight::ui {

namespace {

// "name[3,4]" as its name and two numbers; nothing when there is no such ending.
struct Address {
    std::string_view name;
    int row = 0, col = 0;
};
std::optional<Address> cell_address(std::string_view text) {
    const auto open = text.rfind('[');
    if (open == std::string_view::npos || text.back() != ']') return std::nullopt;
    Address address{text.substr(0, open)};
    const char* end = text.data() + text.size() - 1;
    const auto row = std::from_chars(text.data() + open + 1, end, address.row);
    if (row.ec != std::errc{} || row.ptr == end || *row.ptr != ',') return std::nullopt;
    const auto col = std::from_chars(row.ptr + 1, end, address.col);
    if (col.ec != std::errc{} || col.ptr != end) return std::nullopt;
    return address;
}

}  // namespace

bool Context::begin(const Palette& palette, float scale, float text_scale) {
    const bool rebuilt = fonts_.scale() != scale * text_scale;
    if (rebuilt) fonts_.build(scale * text_scale);
    if (rebuilt || palette_ != &palette || scale_ != scale) apply_style(palette, scale);
    palette_ = &palette;
    scale_ = scale;
    text_scale_ = text_scale;
    return rebuilt;
}

void Context::start_frame() {
    names_.clear();
    reports_.clear();
    tooltip_.clear();
    frame_asked_ = false;
}

void Context::end() { heatmaps_.end_frame(); }

float Context::line(Size size) const { return std::round(fonts_.em(size) * 1.66F); }

gl::CellWindow& Context::window(const std::string& name, int rows, int cols) {
    Zoomed& zoomed = windows_[name];
    if (zoomed.rows != rows || zoomed.cols != cols)
        zoomed = {{0, 0, static_cast<float>(rows), static_cast<float>(cols)}, rows, cols};
    return zoomed.window;
}

bool Context::find(std::string_view text, ImVec2& point) const {
    const auto whole = names_.find(std::string(text));
    if (whole != names_.end()) {
        point = whole->second.rect.center();
        return true;
    }
    const auto address = cell_address(text);
    if (!address) return false;
    const auto grid = names_.find(std::string(address->name));
    if (grid == names_.end() || grid->second.cells.rows <= 0) return false;
    const auto& [rect, cells] = grid->second;
    point = {rect.x + (static_cast<float>(address->col) + 0.5F - cells.col) / cells.cols * rect.w,
             rect.y + (static_cast<float>(address->row) + 0.5F - cells.row) / cells.rows * rect.h};
    return rect.contains(point);
}

void Context::draw_tooltip() {
    if (tooltip_.empty()) return;
    const float wide = px(320) * text_scale_;
    Canvas canvas(*this, ImGui::GetForegroundDrawList());
    const ImVec2 size = canvas.measure_wrapped(tooltip_, {.size = Size::body}, wide);
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    Rect box{mouse.x + px(16), mouse.y + px(20), size.x + px(20), size.y + px(14)};
    box.x = std::max(px(4), std::min(box.x, screen.x - box.w - px(4)));
    if (box.y + box.h > screen.y) box.y = mouse.y - box.h - px(8);
    canvas.card(box, colors().card);
    canvas.wrapped(box.inset(px(10), px(7)), tooltip_, {.size = Size::body});
}

}  // namespace headlight::ui

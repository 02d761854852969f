#include "ui/context.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/address.h"
#include "ui/canvas.h"
#include "ui/compat_internal.h"

namespace headlight::ui {

namespace {

gl::CellWindow all_cells(int rows, int cols) {
    return {0, 0, static_cast<float>(rows), static_cast<float>(cols)};
}

}  // namespace

bool Context::begin(const Palette& palette, float scale, float text_scale, float sentence) {
    const bool rebuilt = std::exchange(letters_wanted_, false) ||
                         fonts_.scale() != scale * text_scale || fonts_.sentence() != sentence;
    if (rebuilt) fonts_.build(scale * text_scale, sentence);
    if (rebuilt || palette_ != &palette || scale_ != scale) apply_style(palette, scale);
    palette_ = &palette;
    scale_ = scale;
    text_scale_ = text_scale;
    return rebuilt;
}

void Context::start_frame() {
    names_.clear();
    kept_clear_.clear();
    texts_.clear();
    reports_.clear();
    later_.clear();
    controls_ = 0;
    tooltip_.clear();
    frame_asked_ = work_awaited_ = awaits_typing_ = false;
    hears_keys_ = true;
    typed_ = is_typing();
    const ImVec2 now = ImGui::GetIO().MousePos, before = std::exchange(pointer_, now);
    const bool moved = now.x != before.x || now.y != before.y;
    pointer_moves_ += moved ? 1 : 0;
    rests_ = moved ? 0 : rests_ + 1;
    recording_ = wanted_;
    if (recording_ != nullptr) recording_->clear();
}

void Context::end() {
    heatmaps_.end_frame();
    if (recording_ != nullptr) recording_->order(*ImGui::GetDrawData());
}

void Context::need(Face face, Size size, std::string_view text) {
    if (!fonts_.want(face, size, text)) return;
    letters_wanted_ = true;
    ask_for_frame();
}

float Context::whole(float pixels) const {
    return std::round(std::round(pixels / scale_) * scale_);
}

float Context::line(Size size) const { return whole(fonts_.em(size) * 1.66F); }

gl::CellWindow& Context::window(const std::string& name, int rows, int cols) {
    Zoomed& zoomed = windows_[name];
    if (zoomed.rows != rows || zoomed.cols != cols) zoomed = {all_cells(rows, cols), rows, cols};
    return zoomed.window;
}

std::optional<Context::Zoomed> Context::zoomed() const {
    for (const auto& [name, zoomed] : windows_)
        if (names_.contains(name) && !(zoomed.window == all_cells(zoomed.rows, zoomed.cols)))
            return zoomed;
    return std::nullopt;
}

void Context::show_all_cells() {
    for (auto& [name, zoomed] : windows_) zoomed.window = all_cells(zoomed.rows, zoomed.cols);
    ask_for_frame();
}

bool Context::find(std::string_view text, ImVec2& point) const {
    const auto whole = area(text);
    if (!whole) return false;
    point = whole->center();
    return true;
}

std::optional<Rect> Context::area(std::string_view text) const {
    const auto whole = names_.find(std::string(text));
    if (whole != names_.end()) return whole->second.rect;
    const auto address = address_of(text);
    if (!address) return std::nullopt;
    const auto grid = names_.find(std::string(address->name));
    if (grid == names_.end() || grid->second.cells.rows <= 0) return std::nullopt;
    const auto& [rect, cells] = grid->second;
    Rect area = rect;
    if (address->row != Address::kAll) {
        area.h = rect.h / cells.rows;
        area.y += (static_cast<float>(address->row) - cells.row) * area.h;
    }
    if (address->col != Address::kAll) {
        area.w = rect.w / cells.cols;
        area.x += (static_cast<float>(address->col) - cells.col) * area.w;
    }
    if (!rect.contains(area.center())) return std::nullopt;
    return area;
}

std::optional<std::string> Context::name_at(ImVec2 point) const {
    const std::pair<const std::string, Named>* smallest = nullptr;
    for (const auto& named : names_)
        if (named.second.rect.contains(point) &&
            (smallest == nullptr || named.second.rect.area() < smallest->second.rect.area()))
            smallest = &named;
    if (smallest == nullptr) return std::nullopt;
    const auto& [rect, cells] = smallest->second;
    if (cells.rows <= 0) return smallest->first;
    const auto row = static_cast<int>(cells.row + (point.y - rect.y) / rect.h * cells.rows),
               col = static_cast<int>(cells.col + (point.x - rect.x) / rect.w * cells.cols);
    return smallest->first + "[" + std::to_string(row) + "," + std::to_string(col) + "]";
}

std::map<std::string, std::string> Context::reports() const {
    std::map<std::string, std::string> all = reports_;
    for (const auto& [what, say] : later_) all[what] = say();
    all["controls"] = std::to_string(controls_);
    return all;
}

bool Context::key_pressed(ImGuiKey key) const {
    // An Enter that ended a text field in this frame was used by that field.
    return hears_keys_ && !typed_ && !is_typing() && is_above_popups() && any_key_pressed(key);
}

bool Context::is_typing() const { return has_typing_field(); }
bool Context::is_list_open() const { return is_popup_open(); }
void Context::stop_typing() {
    leave_typing_field();
    typed_ = false;
}

bool Context::take_stop(const std::string& name) {
    if (!gathering_) return false;
    stops_.push_back(name);
    return name == marked_stop_ && key_pressed(ImGuiKey_Enter);
}

void Context::end_stops() {
    gathering_ = false;
    const std::vector<std::string> stops = std::exchange(stops_, {});
    const auto at = std::ranges::find(stops, marked_stop_);
    if (at == stops.end()) marked_stop_.clear();  // it is no longer drawn
    const bool moved = !stops.empty() && key_pressed(ImGuiKey_Tab);
    if (moved) {
        const auto count = static_cast<std::ptrdiff_t>(stops.size());
        const bool back = ImGui::GetIO().KeyShift;
        const std::ptrdiff_t now = at == stops.end() ? (back ? 0 : -1) : at - stops.begin();
        marked_stop_ = stops[static_cast<std::size_t>((now + (back ? -1 : 1) + count) % count)];
        ask_for_frame();
    }
    if (marked_stop_.empty()) return;
    report("stop", marked_stop_);
    const Rect& rect = names_.at(marked_stop_).rect;
    if (moved) {  // scrolls it into view
        const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
        const float over = std::max(0.0F, rect.y + rect.h + px(8) - bottom),
                    under = std::max(0.0F, top + px(8) - rect.y);
        ImGui::SetScrollY(ImGui::GetScrollY() + over - under);
    }
    Canvas(*this).outline(rect.inset(-px(2)), colors().accent, px(2), px(6));
}

// The pointer has just moved, or rests where it moved to: on the same widget, or outside widgets on
// something with the same tip.
bool Context::may_show_tooltip() {
    if (touched_ && !ImGui::IsMouseDown(0)) return false;
    constexpr int kLate = 1;  // frames: some tips are known one frame later
    const ImGuiID widget = hovered_widget();
    const bool moved = rests_ <= kLate;
    if (moved) tip_widget_ = widget;
    const bool rests = widget == tip_widget_ && (widget != 0 || tooltip_ == shown_tooltip_);
    shown_tooltip_ = moved || rests ? tooltip_ : "";
    if (!moved && !rests) tip_widget_ = 0;
    return !shown_tooltip_.empty();
}

void Context::draw_tooltip() {
    if (!may_show_tooltip()) return;
    report("tooltip", tooltip_);
    const float wide = px(320) * text_scale_;
    Canvas canvas(*this, Canvas::Over::everything);
    const ImVec2 size = canvas.measure_wrapped(tooltip_, {.size = Size::body}, wide);
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    Rect box{mouse.x + px(16), mouse.y + px(20), size.x + px(20), size.y + px(14)};
    box.x = std::max(px(4), std::min(box.x, screen.x - box.w - px(4)));
    if (box.y + box.h > screen.y) box.y = mouse.y - box.h - px(8);
    canvas.card(box, colors().card);
    // Wraps as measured: a line as wide as the box might not fit into its rounded width.
    canvas.wrapped({box.x + px(10), box.y + px(7), wide, size.y}, tooltip_, {.size = Size::body});
}

}  // namespace headlight::ui

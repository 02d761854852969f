#include "lessons_screen/selecting.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ui/canvas.h"

namespace headlight::screens {

namespace {

// In pixels at 96 dpi: a shorter movement is a click.
constexpr float kTremble = 4;
// Scrolling speed per second, times the distance of the pointer from the edge.
constexpr float kScrolls = 8;

ui::Rect window_rect() {
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    return {at.x, at.y, size.x, size.y};
}

// Scrolls towards a pointer above or below the window.
void scroll_after(Frame& frame, float pointer) {
    const ui::Rect window = window_rect();
    const float above = std::min(0.0F, pointer - window.y),
                below = std::max(0.0F, pointer - (window.y + window.h));
    const float step = (above + below) * kScrolls * ImGui::GetIO().DeltaTime;
    const float now = ImGui::GetScrollY(),
                then = std::clamp(now + step, 0.0F, ImGui::GetScrollMaxY());
    if (then == now) return;
    ImGui::SetScrollY(then);
    frame.ui.ask_for_frame();
}

}  // namespace

void Selecting::begin(long page) {
    if (std::exchange(page_, page) != page) {
        chosen_.clear();
        pressed_ = drags_ = clicked_last_ = copies_ = takes_all_ = false;
    }
    pieces_.clear();
    styles_.clear();
    lit_ = {};
    on_words_ = false;
}

bool Selecting::add(Frame& frame, ui::Piece piece, const ui::TextStyle& style) {
    const auto [begin, end] = chosen_.range().within(pieces_.size(), piece.text.size());
    pieces_.push_back(std::move(piece));
    styles_.push_back(style);
    const ui::Rect before = std::exchange(lit_, {});
    if (begin == end) return false;
    const ui::Piece& added = pieces_.back();
    ui::Rect lit = added.rect;
    const float from = reach(frame, pieces_.size() - 1, begin);
    lit.x += from;
    lit.w = reach(frame, pieces_.size() - 1, end) - from;
    const bool goes_on = begin == 0 && before.y == lit.y && !before.empty() &&
                         added.before.find_first_not_of(' ') == std::string::npos;
    if (end == added.text.size()) lit_ = lit;
    if (goes_on) {  // across the space in between
        lit.w += lit.x - (before.x + before.w);
        lit.x = before.x + before.w;
    }
    ui::Canvas(frame.ui).fill(lit, ui::selection_color(frame.colors()));
    return true;
}

float Selecting::reach(Frame& frame, std::size_t piece, std::size_t byte) const {
    const auto& [rect, text, before, whole] = pieces_[piece];
    if (byte == 0) return 0;
    if (byte >= text.size() || whole) return rect.w;
    return ui::Canvas(frame.ui).measure(std::string_view(text).substr(0, byte), styles_[piece]);
}

ui::Touch Selecting::touch(Frame& frame) const {
    const auto measured = [&](const ui::Piece& piece, std::size_t byte) {
        return reach(frame, static_cast<std::size_t>(&piece - pieces_.data()), byte);
    };
    return ui::touch_at(pieces_, ImGui::GetIO().MousePos, measured);
}

void Selecting::press(Frame& frame) {
    using By = ui::Selection::By;
    const int clicks = ImGui::GetMouseClickedCount(0);
    pressed_at_ = ImGui::GetIO().MousePos;
    pressed_ = true;
    if (ImGui::GetIO().KeyShift && clicks == 1) return chosen_.drag(pieces_, touch(frame));
    const By by = clicks == 1 ? By::letters : clicks == 2 ? By::words : By::paragraphs;
    chosen_.press(pieces_, touch(frame), by);
}

void Selecting::drag(Frame& frame) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float far = frame.px(kTremble);
    drags_ = drags_ || std::abs(mouse.x - pressed_at_.x) > far ||
             std::abs(mouse.y - pressed_at_.y) > far;
    if (!drags_) return;
    chosen_.drag(pieces_, touch(frame));
    scroll_after(frame, mouse.y);
}

void Selecting::end(Frame& frame) {
    // If the number of pieces changes, the selection would be at other text.
    if (std::exchange(count_, pieces_.size()) != pieces_.size()) {
        chosen_.clear();
        pressed_ = false;
    }
    const ui::Range before = chosen_.range();
    hovered_ =
        !pieces_.empty() && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const bool on_widget = ImGui::IsAnyItemHovered() && !on_words_;
    if (ImGui::IsMouseClicked(0)) {
        clicked_last_ = hovered_ && !on_widget;
        if (clicked_last_)
            press(frame);
        else
            chosen_.clear();
    }
    if (!ImGui::IsMouseDown(0)) pressed_ = drags_ = false;
    if (pressed_) drag(frame);
    if (std::exchange(takes_all_, false)) chosen_.take_all(pieces_);
    const std::string text = ui::copied(pieces_, chosen_.range());
    if (std::exchange(copies_, false) && !text.empty()) ImGui::SetClipboardText(text.c_str());
    if (!text.empty()) frame.ui.report("lesson.selected", text);
    if (drags_ || (hovered_ && !on_widget && !on_words_ && on_text()))
        ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    if (chosen_.range() != before) frame.ui.ask_for_frame();
}

bool Selecting::on_text() const {
    return std::ranges::any_of(pieces_, [](const ui::Piece& piece) {
        // Includes the spaces beside it, about a fourth of the line height.
        return piece.rect.inset(-piece.rect.h / 4, 0).contains(ImGui::GetIO().MousePos);
    });
}

bool Selecting::takes_key(std::string_view key) {
    if (key == "Ctrl+A" && (hovered_ || clicked_last_)) return takes_all_ = true;
    if (chosen_.empty()) return false;
    if (key == "Ctrl+C") return copies_ = true;
    if (key != "Escape") return false;
    chosen_.clear();
    pressed_ = false;
    return true;
}

}  // namespace headlight::screens

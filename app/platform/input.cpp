#include "platform/input.h"

#include <cfloat>
#include <cmath>
#include <string_view>
#include <utility>

#include "platform/keyboard.h"
#include "state/keys.h"
#include "ui/compat_internal.h"

namespace headlight::app {
namespace {

struct Teller {
    void operator()(const PointerMoved& to) const { ui::tell_pointer(to.x, to.y); }
    void operator()(const PointerLeft&) const { ui::tell_pointer(-FLT_MAX, -FLT_MAX); }
    void operator()(const ButtonChanged& change) const {
        ui::tell_button(change.button, change.down);
    }
    void operator()(const Wheel& turned) const { ui::tell_wheel(turned.x, turned.y); }
    void operator()(const EditKey& change) const { ui::tell_key(change.key, change.down); }
    void operator()(const Modifiers& held) const { ui::tell_modifiers(held.ctrl, held.shift); }
    void operator()(const Typed& typed) const { ImGui::GetIO().AddInputCharacter(typed.character); }
    void operator()(const auto&) const {}  // not an event of ImGui
};

bool is_pointer(const Event& event) {
    const auto* drag = std::get_if<Dragged>(&event);
    return std::holds_alternative<PointerMoved>(event) ||
           std::holds_alternative<PointerLeft>(event) || std::holds_alternative<Touched>(event) ||
           (drag != nullptr && drag->begins == Dragged::Begins::no);
}

bool begins_drag(const Event& event) {
    const auto* drag = std::get_if<Dragged>(&event);
    return drag != nullptr && drag->begins != Dragged::Begins::no;
}

// It needs to know what the pointer is on, which a frame finds out.
bool needs_hover(const Event& event) {
    return std::holds_alternative<ButtonChanged>(event) || std::holds_alternative<Lifted>(event) ||
           begins_drag(event);
}

// Two changes of a text field's key in one frame would cancel out.
bool ends_frame(const Event& event) {
    return needs_hover(event) || std::holds_alternative<EditKey>(event);
}

}  // namespace

void add_key(Input& input, const std::string& name) {
    const std::string printed = printed_key(name);
    const bool ctrl = printed.starts_with("Ctrl+");
    const bool shift = printed.find("Shift+") != std::string::npos;
    input.add(Modifiers{ctrl, shift});
    const std::size_t plus = printed.rfind('+', printed.size() - 2);
    const auto edit = edit_key(std::string_view(printed).substr(plus + 1));
    input.add(Pressed{printed});
    if (edit) input.add(EditKey{*edit, true});
    if (edit) input.add(EditKey{*edit, false});
    input.add(Modifiers{});
}

bool is_of_keyboard(const Event& event) {
    return std::holds_alternative<Pressed>(event) || std::holds_alternative<Typed>(event) ||
           std::holds_alternative<EditKey>(event);
}

void Input::feed(const std::function<bool(const Event&)>& takes) {
    bool pointer_moved = false;
    while (!events_.empty()) {
        if (pointer_moved && needs_hover(events_.front())) break;
        if (!takes(events_.front())) break;
        const Event event = std::move(events_.front());
        events_.pop_front();
        pointer_moved = pointer_moved || is_pointer(event);
        tell(event);
        if (ends_frame(event)) break;
    }
}

void Input::tell(const Event& event) {
    if (std::holds_alternative<PointerMoved>(event)) by_touch_ = false;
    if (const auto* at = std::get_if<Touched>(&event)) touch(*at);
    if (const auto* to = std::get_if<Dragged>(&event)) drag(*to);
    if (std::holds_alternative<Lifted>(event)) lift();
    std::visit(Teller{}, event);
}

void Input::touch(const Touched& at) {
    by_touch_ = true;
    finger_ = {at.x, at.y};
    ui::tell_pointer(at.x, at.y);
}

void Input::drag(const Dragged& to) {
    const ImVec2 by{to.x - finger_.x, to.y - finger_.y};
    if (to.begins != Dragged::Begins::no) {
        scrolled_ = ui::scrollable_under_pointer(std::abs(by.y) >= std::abs(by.x));
        presses_ = scrolled_ == 0 && to.begins == Dragged::Begins::anything;
        if (presses_) return ui::tell_button(0, true);  // where the finger landed
    }
    finger_ = {to.x, to.y};
    if (presses_) return ui::tell_pointer(to.x, to.y);
    if (scrolled_ == 0) return;
    ui::tell_pointer(-FLT_MAX, -FLT_MAX);  // nothing is under the pointer while its area scrolls
    ui::scroll_window(scrolled_, by);
}

void Input::lift() {
    if (std::exchange(presses_, false)) ui::tell_button(0, false);
    scrolled_ = 0;
}

}  // namespace headlight::app

#include "platform/input.h"

#include <cfloat>
#include <string_view>
#include <utility>

#include "platform/keyboard.h"
#include "state/keys.h"

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
    void operator()(const Pressed&) const {}  // not an ImGui event
};

bool is_pointer(const Event& event) {
    return std::holds_alternative<PointerMoved>(event) ||
           std::holds_alternative<PointerLeft>(event);
}

// Two changes of a text field's key in one frame would cancel out.
bool ends_frame(const Event& event) {
    return std::holds_alternative<ButtonChanged>(event) || std::holds_alternative<EditKey>(event);
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
        if (pointer_moved && std::holds_alternative<ButtonChanged>(events_.front())) break;
        if (!takes(events_.front())) break;
        const Event event = std::move(events_.front());
        events_.pop_front();
        pointer_moved = pointer_moved || is_pointer(event);
        std::visit(Teller{}, event);
        if (ends_frame(event)) break;
    }
}

}  // namespace headlight::app

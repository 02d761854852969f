#pragma once

// The parts of compat.h that need Dear ImGui's internals.
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>

#include "ui/compat.h"

namespace headlight::ui {

// Gives the keyboard to the text field with this label, which is submitted next. Since 1.87,
// SetKeyboardFocusHere does not work in windows with NoNav.
inline void type_into(const char* label) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetCurrentContext()->NavNextActivateId = ImGui::GetID(label);
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
#else
    static_cast<void>(label);
    ImGui::SetKeyboardFocusHere();
#endif
}

// Whether a text field has the keyboard, as of the last frame. (io.WantTextInput lags one frame.)
inline bool has_typing_field() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    return g.ActiveId != 0 && g.ActiveId == g.InputTextState.ID;
}

// Takes the keyboard from the text field, which keeps its text.
inline void leave_typing_field() {
    if (has_typing_field()) ImGui::ClearActiveID();
}

inline bool is_popup_open() { return ImGui::GetCurrentContext()->OpenPopupStack.Size > 0; }

// Whether drawing now goes to the topmost popup, or there is none.
inline bool is_above_popups() {
    ImGuiContext& g = *ImGui::GetCurrentContext();
    return g.OpenPopupStack.Size == 0 ||
           (g.CurrentWindow != nullptr &&
            g.CurrentWindow->RootWindow == g.OpenPopupStack.back().Window);
}

// The widget under the pointer in this frame; 0 if there is none.
inline ImGuiID hovered_widget() { return ImGui::GetCurrentContext()->HoveredId; }

// The area under the pointer, as of the last frame, that can be scrolled up and down or else
// sideways; 0 if there is none.
inline ImGuiID scrollable_under_pointer(bool upright) {
    for (const ImGuiWindow* at = ImGui::GetCurrentContext()->HoveredWindow; at != nullptr;
         at = at->ParentWindow) {
        if ((upright ? at->ScrollMax.y : at->ScrollMax.x) > 0) return at->ID;
        if ((at->Flags & ImGuiWindowFlags_Popup) != 0) break;  // the others are behind it
    }
    return 0;
}

// Scrolls it in the next frame, so that its content moves by so many pixels.
inline void scroll_window(ImGuiID id, ImVec2 by) {
    ImGuiWindow* const window = ImGui::FindWindowByID(id);
    if (window == nullptr) return;
    const auto moved = [](float target, float now, float most, float way) {
        return std::clamp((target < FLT_MAX ? target : now) - way, 0.0F, std::max(0.0F, most));
    };
    ImGui::SetScrollX(window,
                      moved(window->ScrollTarget.x, window->Scroll.x, window->ScrollMax.x, by.x));
    ImGui::SetScrollY(window,
                      moved(window->ScrollTarget.y, window->Scroll.y, window->ScrollMax.y, by.y));
}

}  // namespace headlight::ui

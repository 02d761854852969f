#pragma once

// What of compat.h needs Dear ImGui's internals.
#include <imgui_internal.h>

#include "ui/compat.h"

namespace headlight::ui {

// The text field of that label, which comes next, begins to take what is typed. Since 1.87
// SetKeyboardFocusHere finds nothing in windows with NoNav.
inline void type_into(const char* label) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetCurrentContext()->NavNextActivateId = ImGui::GetID(label);
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
#else
    static_cast<void>(label);
    ImGui::SetKeyboardFocusHere();
#endif
}

// A text field has the keyboard, as of the last frame. (io.WantTextInput is a frame behind.)
inline bool has_typing_field() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    return g.ActiveId != 0 && g.ActiveId == g.InputTextState.ID;
}

// The text field lets go of the keyboard and keeps what was typed.
inline void leave_typing_field() {
    if (has_typing_field()) ImGui::ClearActiveID();
}

inline bool is_popup_open() { return ImGui::GetCurrentContext()->OpenPopupStack.Size > 0; }

// What is drawn now lies in the popup on top, or there is none.
inline bool is_above_popups() {
    ImGuiContext& g = *ImGui::GetCurrentContext();
    return g.OpenPopupStack.Size == 0 ||
           (g.CurrentWindow != nullptr &&
            g.CurrentWindow->RootWindow == g.OpenPopupStack.back().Window);
}

// The widget under the pointer in this frame; 0: none.
inline ImGuiID hovered_widget() { return ImGui::GetCurrentContext()->HoveredId; }

}  // namespace headlight::ui

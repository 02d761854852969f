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

}  // namespace headlight::ui

#pragma once

// A uniform interface to Dear ImGui 1.86 (Debian 12) to 1.90 (Debian 13) and later. All version
// differences are handled here, or in compat_internal.h where ImGui's internals are needed.
#include <imgui.h>

#include <cstdint>

#if IMGUI_VERSION_NUM < 18600
#error "Dear ImGui 1.86 or newer is needed"
#endif

namespace headlight::ui {

inline ImTextureID texture_id(std::uint32_t name) {
    // A pointer until 1.91.4, an integer afterwards; this cast works for both.
    return (ImTextureID) static_cast<std::intptr_t>(name);  // NOLINT
}

inline std::uint32_t texture_name(ImTextureID id) {
    return static_cast<std::uint32_t>((std::intptr_t)id);  // NOLINT
}

// Draws a frame from these lists instead of its own. The lists must outlive the frame.
inline void set_lists(ImDrawData& frame, ImVector<ImDrawList*>& lists) {
#if IMGUI_VERSION_NUM < 18980
    frame.CmdLists = lists.Data;
#else
    frame.CmdLists = lists;
#endif
    frame.CmdListsCount = lists.Size;
    frame.TotalVtxCount = frame.TotalIdxCount = 0;
    for (const ImDrawList* list : lists) {
        frame.TotalVtxCount += list->VtxBuffer.Size;
        frame.TotalIdxCount += list->IdxBuffer.Size;
    }
}

// Makes a frame process all its input events. Since 1.87, Dear ImGui would defer simultaneous
// events to later frames, which are not drawn while nothing happens. app::Input decides which
// events fit into one frame.
inline void hear_all_at_once() {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;
#endif
}

// Passes mouse and keyboard input to ImGui: by writing its fields until 1.86, as queued events
// since 1.87.
inline void tell_pointer(float x, float y) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MousePos = {x, y};
#else
    ImGui::GetIO().AddMousePosEvent(x, y);
#endif
}

inline void tell_button(int button, bool down) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MouseDown[button] = down;
#else
    ImGui::GetIO().AddMouseButtonEvent(button, down);
#endif
}

inline void tell_wheel(float x, float y) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MouseWheelH += x;
    ImGui::GetIO().MouseWheel += y;
#else
    ImGui::GetIO().AddMouseWheelEvent(x, y);
#endif
}

inline void tell_key(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM < 18700
    // Keys had no fixed numbers; we use those of ImGuiKey.
    ImGui::GetIO().KeyMap[key] = key;
    ImGui::GetIO().KeysDown[key] = down;
#else
    ImGui::GetIO().AddKeyEvent(key, down);
#endif
}

// Whether the key was pressed in this frame, or repeats because it is held. Views ask
// Context::key_pressed(), which knows who has the keyboard.
inline bool any_key_pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM < 18700
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#else
    return ImGui::IsKeyPressed(key);
#endif
}

inline void tell_modifiers(bool ctrl, bool shift) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().KeyCtrl = ctrl;
    ImGui::GetIO().KeyShift = shift;
#elif IMGUI_VERSION_NUM < 18900
    ImGui::GetIO().AddKeyEvent(ImGuiKey_ModCtrl, ctrl);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_ModShift, shift);
#else
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, ctrl);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
#endif
}

}  // namespace headlight::ui

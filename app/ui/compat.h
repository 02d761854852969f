#pragma once

// Dear ImGui 1.86 (Debian 12) to 1.90 (Debian 13) and later, as one: every difference that we meet
// is settled here, or in compat_internal.h where it needs its internals, and nowhere else.
#include <imgui.h>

#include <cstdint>

#if IMGUI_VERSION_NUM < 18600
#error "Dear ImGui 1.86 or newer is needed"
#endif

namespace headlight::ui {

inline ImTextureID texture_id(std::uint32_t name) {
    // A pointer until 1.91.4, a number afterwards; this cast is right for both.
    return (ImTextureID) static_cast<std::intptr_t>(name);  // NOLINT
}

inline std::uint32_t texture_name(ImTextureID id) {
    return static_cast<std::uint32_t>((std::intptr_t)id);  // NOLINT
}

// A frame is drawn from these lists in place of its own. They must live as long.
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

// A frame hears all that it is told. Since 1.87 Dear ImGui would keep what came at once for later
// frames, which nobody draws while nothing happens; what one frame can tell apart is known to
// platform::Input.
inline void hear_all_at_once() {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;
#endif
}

// What the mouse and the keyboard do, told to ImGui. Until 1.86 its fields were written directly,
// since 1.87 events are queued.
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
    // Keys had no numbers of their own; we number them as ImGui names them.
    ImGui::GetIO().KeyMap[key] = key;
    ImGui::GetIO().KeysDown[key] = down;
#else
    ImGui::GetIO().AddKeyEvent(key, down);
#endif
}

// In this frame, or again because it is held. Views ask Context::key_pressed(), which knows to whom
// the keyboard belongs.
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

#pragma once

#include <string>

#include "ui/compat.h"
#include "ui/geometry.h"

namespace headlight::ui {

// Begins a separate window that blocks the mouse for everything below it. End it with ImGui::End().
inline void begin_window(const std::string& name, const Rect& rect, ImGuiWindowFlags more = 0) {
    ImGui::SetNextWindowPos(rect.min());
    ImGui::SetNextWindowSize({rect.w, rect.h});
    ImGui::Begin(name.c_str(), nullptr,
                 more | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground);
}

}  // namespace headlight::ui

#pragma once

#include "ui/compat.h"

namespace headlight::platform {

// A frame of Dear ImGui that holds what `draw` draws, and nothing else. What is around it belongs
// to the caller: its context, its display's size.
template <class Draw>
void on_page(ImVec2 size, const Draw& draw) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("page", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoInputs);
    draw();
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace headlight::platform

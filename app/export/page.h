#pragma once

#include "ui/compat.h"

namespace headlight::app {

// A Dear ImGui frame that contains only what `draw` draws. The caller sets the context and the
// display size.
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

}  // namespace headlight::app

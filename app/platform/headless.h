#pragma once

#include "platform/files.h"
#include "ui/compat.h"
#include "ui/context.h"

namespace headlight::platform {

// Dear ImGui without a window to draw in: it measures text, and describes what would be drawn.
class NoWindow {
  public:
    NoWindow() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {1, 1};
    }
    ~NoWindow() { ImGui::DestroyContext(); }
    NoWindow(const NoWindow&) = delete;
    NoWindow& operator=(const NoWindow&) = delete;
};

}  // namespace headlight::platform

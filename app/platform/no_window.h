#pragma once

#include "ui/compat.h"
#include "ui/context.h"

namespace headlight::app {

// Dear ImGui without a window: it measures text and builds draw lists. It is ImGui's active context
// during its lifetime.
class NoWindow {
  public:
    NoWindow() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
        ImGui::SetCurrentContext(context_);
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {1, 1};
    }
    ~NoWindow() {
        ImGui::DestroyContext(context_);
        ImGui::SetCurrentContext(before_);
    }
    NoWindow(const NoWindow&) = delete;
    NoWindow& operator=(const NoWindow&) = delete;

  private:
    ImGuiContext *before_, *context_;
};

}  // namespace headlight::app

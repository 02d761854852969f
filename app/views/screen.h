#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "state/workspace.h"
#include "ui/context.h"
#include "views/focus.h"

namespace headlight::views {

// What the views remember between frames that is nobody's choice: hover, open menus, caches.
struct Memory;

// The whole window's content. Reads the workspace, draws, and returns what the person asked for;
// the caller applies it. Call between ImGui::NewFrame and ImGui::Render.
class Screen {
  public:
    Screen();
    ~Screen();
    std::vector<Command> draw(ui::Context& ui, const Workspace& work, ui::Rect window);

    // Whether the key belongs to something inside (a text field, an open menu, the file browser).
    [[nodiscard]] bool takes_key(std::string_view key) const;

    // Commands of the gesture that just ended want Workspace::end_gesture().
    [[nodiscard]] bool gesture_ended() const;

  private:
    std::unique_ptr<Memory> memory_;
};

}  // namespace headlight::views

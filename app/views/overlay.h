#pragma once

#include <string>

#include "views/scene.h"

// A panel over the walk: the window dimmed, a card in its middle that takes the mouse from
// everything below it, and in the card what scrolls by wheel and by keys.
namespace headlight::views {

// The inside of the card, below its title. The caller ends it with end_overlay().
ui::Rect begin_overlay(Scene& scene, const ui::Rect& window, const std::string& name,
                       const std::string& title);
void end_overlay();

// The place of the content, as long as it needs to be: from its top on, beside the scroll bar. The
// caller ends it with end_scroll(), saying how far it came.
ui::Rect begin_scroll(Scene& scene, const ui::Rect& rect, const std::string& name);
void end_scroll(const ui::Rect& content, float bottom);

// Whether the key scrolls such a panel, so that the walk behind it must not hear it.
bool scrolls(Panel panel, std::string_view key);

}  // namespace headlight::views

#pragma once

#include <filesystem>
#include <span>

#include "frame/frame.h"
#include "frame/screen.h"

// The window around every screen, and what covers or replaces it. The file browser has a header of
// its own.
namespace headlight::screens {

void top_bar(Frame& frame, const ui::Rect& rect, std::span<const Screen> screens);
float top_bar_height(const Frame& frame);  // 0 where there is none
void transport(Frame& frame, const ui::Rect& rect);
float transport_height(const Frame& frame);

std::filesystem::path manual_folder();

// The list of keys and mouse actions, drawn from the top; returns where it ends, in pixels.
float keys_page(Frame& frame, ui::Layout rest);

// Panels over the screen.
void model_panel(Frame& frame, const ui::Rect& window);
void about_panel(Frame& frame, const ui::Rect& window);

// Fills the window before the first trace arrives, or if there is none.
void loading_screen(ui::Context& ui, const Workspace& work, std::vector<Command>& out,
                    const ui::Rect& window);

}  // namespace headlight::screens

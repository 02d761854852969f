#pragma once

#include <filesystem>
#include <span>

#include "frame/frame.h"
#include "frame/screen.h"

// What stands around every screen, over it, or in its place; the file browser has a header of its
// own.
namespace headlight::screens {

void top_bar(Frame& frame, const ui::Rect& rect, std::span<const Screen> screens);
float top_bar_height(const Frame& frame);  // 0 where there is none
void transport(Frame& frame, const ui::Rect& rect);
float transport_height(const Frame& frame);

std::filesystem::path manual_folder();

// Keys and mouse, from the top; gives where the list ends.
float keys_page(Frame& frame, ui::Rect rest);

// Panels over the screen.
void model_panel(Frame& frame, const ui::Rect& window);
void about_panel(Frame& frame, const ui::Rect& window);

// The whole window before the first trace is there, or when there is none.
void loading_screen(ui::Context& ui, const Workspace& work, std::vector<Command>& out,
                    const ui::Rect& window);

}  // namespace headlight::screens

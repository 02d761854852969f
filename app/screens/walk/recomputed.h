#pragma once

#include <string>

#include "frame/frame.h"
#include "ui/controls.h"

// Whether a number that was recomputed is the one shown.
namespace headlight::screens {

// Nothing to say as long as they are equal.
inline std::string recomputed_words(bool agrees, double recomputed) {
    return agrees ? "" : "recomputed " + ui::number(recomputed, 6) + " ≠ shown";
}

inline ImU32 recomputed_color(const Frame& frame, bool agrees) {
    return agrees ? frame.colors().ok : frame.colors().error;
}

inline void verdict_icon(Frame& frame, ImVec2 center, bool agrees, float size) {
    ui::Canvas canvas(frame.ui);
    ui::icon(canvas, agrees ? ui::Icon::check : ui::Icon::close, center, size,
             recomputed_color(frame, agrees));
}

// size: of the icon. tip: how it was recomputed, for a number that agrees.
inline void draw_recomputed(Frame& frame, const ui::Rect& sign, bool agrees, float size,
                            const char* tip) {
    verdict_icon(frame, sign.center(), agrees, size);
    if (agrees && sign.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(tip);
}

}  // namespace headlight::screens

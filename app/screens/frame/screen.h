#pragma once

#include <string_view>

#include "frame/export.h"
#include "frame/frame.h"

namespace headlight::screens {

// How to draw one of the program's screens: a row of the table in window/screens.cpp. A screen
// keeps its state in Memory::own() under its own type.
struct Screen {
    ScreenId id;
    bool has_steps;   // shows the playback controls below
    bool of_studies;  // empty until its studies have answered; the window is busy until then
    // Draws the whole screen, between the top bar and the playback controls.
    void (*draw)(Frame& frame, ui::Layout rect);
    // Whether the screen uses the key, so that the program must ignore it. Null: for none.
    bool (*takes_key)(Memory& memory, std::string_view key);
    // Called once when another screen replaces it. Null: keeps everything.
    void (*left)(Memory& memory) = nullptr;
    // The provenance of that part of what it showed last, "" for all of it. Null: Walk's.
    Facts (*facts)(Memory& memory, const std::string& widget) = nullptr;
    // Prefix of the names of its numbers, which can be exported on any screen.
    std::string_view names = {};
    // Answers an Export request from studies. Called after a screen is drawn, in every frame until
    // the answer is there.
    void (*answer)(Frame& frame) = nullptr;
    // Prefix of the names in its panel, with the same functions for facts and exports.
    std::string_view panel_names = {};
};

}  // namespace headlight::screens

#pragma once

#include <string_view>

#include "frame/export.h"
#include "frame/frame.h"

namespace headlight::screens {

// How one of the program's screens is drawn: a row in the table of window/screens.cpp. What it
// remembers it keeps in Memory::own(), by a type of its own.
struct Screen {
    ScreenId id;
    bool has_steps;  // with the playback controls below it
    bool
        of_studies;  // shows nothing before its studies have answered: the window is busy till then
    // All of it, between the top bar and the transport.
    void (*draw)(Frame& frame, ui::Rect rect);
    // Whether it has a use for the key, so that the program must not hear it. Null: for none.
    bool (*takes_key)(Memory& memory, std::string_view key);
    // Called once when another screen takes its place. Null: it remembers everything.
    void (*left)(Memory& memory) = nullptr;
    // What made that part of what it showed last, "" all of it: place and choices, for who reads it
    // in a file. Null: the walk's.
    Facts (*facts)(Memory& memory, const std::string& widget) = nullptr;
    // How the names of its numbers begin. They can be exported while any screen is drawn.
    std::string_view names = {};
    // Answers what is wanted of Export, from studies. Called after a screen is drawn, in every
    // frame until the answer is there.
    void (*answer)(Frame& frame) = nullptr;
};

}  // namespace headlight::screens

#pragma once

#include <filesystem>
#include <string_view>

#include "frame/frame.h"
#include "lessons/glossary.h"
#include "ui/canvas.h"

// Terms of the glossary in a text: a dotted line under each, and its meaning under the pointer.
namespace headlight::screens {

// Where the manual and its glossary are, in Frame::memory; empty: nowhere.
struct ManualFolder {
    std::filesystem::path path;
};

// Without its file it has no terms.
const lessons::Glossary& glossary_of(Frame& frame);

void dashes(ui::Canvas& canvas, const ui::Rect& word, ImU32 color, float unit);
void explain_term(Frame& frame, const ui::Rect& place, std::string_view meaning);

// As Canvas::wrapped, with the terms explained where they first appear.
float wrapped_with_terms(Frame& frame, const ui::Rect& rect, std::string_view text,
                         const ui::TextStyle& style);

}  // namespace headlight::screens

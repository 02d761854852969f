#pragma once

#include <filesystem>
#include <string_view>

#include "frame/frame.h"
#include "lessons/glossary.h"
#include "ui/canvas.h"

// Underlines glossary terms in a text with dots, and shows their meaning under the pointer.
namespace headlight::screens {

// The folder of the manual and its glossary, in Frame::memory; empty: none.
struct ManualFolder {
    std::filesystem::path path;
};

// Without the file, the glossary is empty.
const lessons::Glossary& glossary_of(Frame& frame);

void dashes(ui::Canvas& canvas, const ui::Rect& word, ImU32 color, float unit);
void explain_term(Frame& frame, const ui::Rect& place, std::string_view meaning);

// As Canvas::wrapped, with terms marked at their first occurrence.
float wrapped_with_terms(Frame& frame, const ui::Rect& rect, std::string_view text,
                         const ui::TextStyle& style);

}  // namespace headlight::screens

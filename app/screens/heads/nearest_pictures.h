#pragma once

#include "frame/export.h"
#include "frame/frame.h"

// The view of the features panel that searches a folder for the most similar images.
namespace headlight::screens {

void nearest_pictures(Frame& frame, ui::Layout rect);

inline constexpr const char* kNearestWidget = "features.nearest";  // the images found

// Whether an export of that name is for this view; "": of what is under the pointer.
bool is_of_nearest_pictures(Frame& frame, const std::string& name);
// Answers it with the table of all images compared.
void export_nearest_pictures(Frame& frame);
// Its provenance.
Facts nearest_pictures_facts(Memory& memory);

}  // namespace headlight::screens

#pragma once

#include <string>

#include "frame/frame.h"
#include "state/fields.h"

// A field of the experiment as a row with its label and its control, wherever it stands.
namespace headlight::screens {

// Label and value on one line; a slider takes a second one.
float field_height(Frame& frame, const Field& field);
void field_row(Frame& frame, const Field& field, ui::Rect rect);
// A field's slider and the number beside it, which can be typed, where the label stands elsewhere.
// `name`: of the slider; the number's is name + ".text". `number`: as wide as that is.
void field_slider(Frame& frame, const Field& field, const std::string& name, ui::Rect row,
                  float number);
// What stands in it, as text.
std::string field_value(const Frame& frame, const Field& field);

}  // namespace headlight::screens

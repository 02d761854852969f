#pragma once

#include <string>

#include "frame/frame.h"
#include "state/fields.h"

// A field of the experiment as a row with its label and control.
namespace headlight::screens {

// Label and value are on one line; a slider takes a second one.
float field_height(Frame& frame, const Field& field);
void field_row(Frame& frame, const Field& field, ui::Layout rect);
// A field's slider and its number, which can be edited; the label is drawn elsewhere. `name`: the
// slider's; the number is called name + ".text". `number`: its width.
void field_slider(Frame& frame, const Field& field, const std::string& name, ui::Rect row,
                  float number);
// Only the control of a choice.
void field_choice(Frame& frame, const Field& field, const ui::Rect& rect);
// Its value as text.
std::string field_value(const Frame& frame, const Field& field);

}  // namespace headlight::screens

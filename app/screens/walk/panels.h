#pragma once

#include "frame/shown.h"

// One function for each panel of Walk, each in a file of its name. A panel draws inside its
// rectangle and issues commands to the frame.
namespace headlight::screens {

void ribbon(Frame& frame, const ui::Rect& rect);  // hidden in lecture view
float ribbon_height(const Frame& frame);
void image_panel(Frame& frame, ui::Layout& rect);  // takes its space off the top
// In a lesson's lecture view, where the stop's text takes the side column: the picture, its heads
// and the model's answer in a row.
void picture_strip(Frame& frame, ui::Layout rect);
// Replaces the stage, if the stop is only about the picture and heads.
void picture_stage(Frame& frame, ui::Layout rect);
// Replaces both for given tokens: editable tokens, and which attends to which.
void tokens_panel(Frame& frame, ui::Layout rect);
// Chooses the source of the tokens: a picture, vectors, words or a signal.
void source_choice(Frame& frame, const ui::Rect& rect);
// The tokens that are no patches, as selectable queries; nothing if there are none. `scale`: of the
// picture above, or null.
void token_chips(Frame& frame, ui::Layout& rect, const Reader& reader, const ui::ColorScale* scale);
float token_chips_height(Frame& frame, float room);
void heads_panel(Frame& frame, const ui::Rect& rect);  // draws nothing if there is too little space
float heads_panel_least(Frame& frame, float width);    // for a head and its name

// One value for every head of the model, layers × heads.
bool shows_layer_map(const Frame& frame);
void layer_map(Frame& frame, ui::Rect rect);
float measure_choice_width(Frame& frame);
void measure_choice(Frame& frame, const ui::Rect& rect);  // chooses the value

// In lecture view the equation is drawn in `equation`, otherwise in the stage's own row.
void stage(Frame& frame, const ui::Rect& rect, ui::Rect equation);
void inspector(Frame& frame, const ui::Rect& rect);
// The right column's parts, each of which takes its space off the top.
void experiment(Frame& frame, ui::Layout& rect);  // the drawer of all settings
// Compares every step with another program's numbers; nothing if there are none.
void reference(Frame& frame, ui::Layout& rect);
std::string reference_error(const Frame& frame, Step step);  // of one step, or empty
// Whether the error exceeds the tolerance of headlight compare, or it cannot be compared.
bool is_off_reference(const Frame& frame, Step step);
void prediction(Frame& frame, ui::Layout& rect);  // nothing without a classifier
void arithmetic_strip(Frame& frame, const ui::Rect& rect);
float strip_height(const Frame& frame);  // low if a step has no terms to draw
// In a lesson's lecture view the text is the lesson's, except for a cell that the stop selected.
bool has_strip(const Frame& frame);

// The shape of the present result with its batch: "[13, 4, 100, 16], sample 3". Empty without
// samples.
std::string batch_text(const Frame& frame);

}  // namespace headlight::screens

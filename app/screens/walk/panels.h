#pragma once

#include "frame/shown.h"

// One function for each panel of the walk, each in a file of its own name. A panel draws inside its
// rectangle and says commands to the frame.
namespace headlight::screens {

void ribbon(Frame& frame, const ui::Rect& rect);  // has no room in lecture view
float ribbon_height(const Frame& frame);
void image_panel(Frame& frame, ui::Rect& rect);  // takes what it needs from the top
// In a lesson's lecture, where the stop's words have the room of the side column: the picture, its
// heads and the model's answer in a row.
void picture_strip(Frame& frame, ui::Rect rect);
// Or in place of the stage, where the stop speaks of the picture and of heads alone.
void picture_stage(Frame& frame, ui::Rect rect);
// Instead of both where tokens were given: what they are, to be changed, and who reads whom.
void tokens_panel(Frame& frame, ui::Rect rect);
// What the tokens are made of: a picture, vectors, words or a signal.
void source_choice(Frame& frame, const ui::Rect& rect);
// The tokens that are no patches, as queries to choose; nothing where there are none. `scale`: of
// the picture above, or null.
void token_chips(Frame& frame, ui::Rect& rect, const Reader& reader, const ui::ColorScale* scale);
float token_chips_height(Frame& frame, float room);
void heads_panel(Frame& frame, const ui::Rect& rect);  // nothing where there is too little room
float heads_panel_least(Frame& frame, float width);    // for a head and its name

// One number for every head of the model, layers × heads.
bool shows_layer_map(const Frame& frame);
void layer_map(Frame& frame, ui::Rect rect);
float measure_choice_width(Frame& frame);
void measure_choice(Frame& frame, const ui::Rect& rect);  // which number

// In lecture view the equation stands there, else in a row of the stage's own.
void stage(Frame& frame, const ui::Rect& rect, ui::Rect equation);
void inspector(Frame& frame, const ui::Rect& rect);
// The right column's parts, each of which takes what it needs from the top.
void experiment(Frame& frame, ui::Rect& rect);  // the drawer of all that can be changed
// Every step against the numbers of another program; nothing where there are none.
void reference(Frame& frame, ui::Rect& rect);
std::string reference_error(const Frame& frame, Step step);  // of one step, or nothing
// It is farther off than headlight compare takes, or cannot be compared.
bool is_off_reference(const Frame& frame, Step step);
void prediction(Frame& frame, ui::Rect& rect);  // nothing where the model is no classifier
void arithmetic_strip(Frame& frame, const ui::Rect& rect);
float strip_height(const Frame& frame);  // low where a step has no terms to be drawn
// In a lesson's lecture the words are the lesson's, but for a cell that the stop chose.
bool has_strip(const Frame& frame);

}  // namespace headlight::screens

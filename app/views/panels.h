#pragma once

#include "views/shown.h"

// One function for each panel of the screen, each in a file of its own name. A panel draws inside
// its rectangle and says commands to the scene.
namespace headlight::views {

void top_bar(Scene& scene, const ui::Rect& rect);
void ribbon(Scene& scene, const ui::Rect& rect);
float ribbon_height(const Scene& scene, bool low);
void image_panel(Scene& scene, ui::Rect& rect);  // takes what it needs from the top
// The tokens that are no patches, as queries to choose; nothing where there are none. `scale`: of
// the picture above, or null.
void token_chips(Scene& scene, ui::Rect& rect, Reader reader, const ui::ColorScale* scale);
float token_chips_height(Scene& scene, float room);
void heads_panel(Scene& scene, const ui::Rect& rect);  // nothing where there is too little room
float heads_panel_least(Scene& scene, float width);    // for a head and its name

// One number for every head of the model, layers × heads.
bool shows_layer_map(const Scene& scene);
void layer_map(Scene& scene, ui::Rect rect);
float measure_choice_width(Scene& scene);
void measure_choice(Scene& scene, const ui::Rect& rect);  // which number

void stage(Scene& scene, const ui::Rect& rect);
void inspector(Scene& scene, const ui::Rect& rect);
void experiment(Scene& scene, ui::Rect& rect);  // takes what it needs from the top
void prediction(Scene& scene, ui::Rect& rect);  // nothing where the model is no classifier
void transport(Scene& scene, const ui::Rect& rect);
void arithmetic_strip(Scene& scene, const ui::Rect& rect);
float strip_height(const Scene& scene);  // low where a step has no terms to be drawn
void help_panel(Scene& scene, const ui::Rect& window);
void model_panel(Scene& scene, const ui::Rect& window);
void about_panel(Scene& scene, const ui::Rect& window);
void notice_bar(Scene& scene, ui::Rect& rect);  // takes what it needs from the top

// The whole window before the first trace is there, or when there is none.
void waiting_room(ui::Context& ui, const Workspace& work, std::vector<Command>& out,
                  const ui::Rect& window);

}  // namespace headlight::views

#pragma once

#include <optional>
#include <string>

#include "state/state.h"

// What the program shows at first, and the models and pictures that come with it.
namespace headlight {

// The sample image in the assets folder; "" if there is none.
std::string default_image();
// Sets the input to the sample image or, without it, to a scene, which needs no file.
void look_at_default(Recipe& recipe);

// A randomly initialized layer with the default image.
State picture_state();
// A photograph with the shipped model trained on photographs. Without that model as
// picture_state().
State photograph_state();
// The initial state: a scene that can be dragged, and the shipped model in which one head finds a
// shape's twin. Without that model as picture_state().
State first_state();

// A model that ships with Headlight.
struct ShippedModel {
    std::string file;
    int layer = 1, head = 1;  // shown at first, from 1
};
// Shows the state's picture with the model; an empty model changes nothing.
void look_through(State& state, const std::optional<ShippedModel>& model);
// The shipped model for a newly opened picture, if the user has not chosen one: for a photograph
// after a scene the model for photographs, and vice versa. Empty: keep the model.
std::optional<ShippedModel> model_to_follow(const Recipe& before, const Recipe& now);

// Which of Headlight's own files are missing, and what to do about it; "" if none are.
std::string missing_assets();

}  // namespace headlight

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/scene_heads.h"
#include "encoder/runner.h"

// Running a model on scenes with known answers.
namespace headlight {

// How often a model is right over many scenes.
struct SceneScore {
    std::int64_t scenes = 0;
    std::int64_t right = 0;  // the class with the largest logit is correct
    std::int64_t without_pair = 0, right_without_pair = 0;  // those without a pair
    std::int64_t pointing = 0;  // number of patches that show a paired shape
    std::int64_t near = 0;      // of these: largest pointing logit is at most one cell away from
                                // the truth, across and down

    void add(const SceneScore& other);
};

// True if the model's head has one row per answer: the kinds of shapes, then "no pair". A model
// whose classes have no names counts if it also points.
bool answers_scenes(const Model& model);

// The name of a class: from the model's file, or the scene answer if the model answers scenes;
// otherwise "class 6".
std::string class_name(const Model& model, Index index);

// Runs the whole model on a scene, drawn at the model's input size; `observer` gets each layer.
// Throws as Runner::run(), and RecipeError for a model without a patch embedding.
Trace run_scene(std::shared_ptr<const Model> model, const ShapeScene& scene,
                const Counterfactual& change, const LayerObserver& observer = {},
                const StopFlag& stop = {});

// The score of one run. Outputs that the model does not have, and answers that do not exist, are
// not counted.
SceneScore score(const Trace& done, const ShapeScene& scene);

// The truth for the model's patches. Requires a trace of the scene.
SceneTruth truth_of(const Trace& trace, const ShapeScene& scene);

}  // namespace headlight

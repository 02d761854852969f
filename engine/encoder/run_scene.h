#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/scene_heads.h"
#include "encoder/runner.h"

// A model on scenes whose answers are known.
namespace headlight {

// How often a model is right over many scenes.
struct SceneScore {
    std::int64_t scenes = 0;
    std::int64_t right = 0;  // the class with the greatest logit is the answer
    std::int64_t without_pair = 0, right_without_pair = 0;  // of these, where there is no pair
    std::int64_t pointing = 0;  // patches of paired shapes, and of those
    std::int64_t near = 0;      // whose greatest pointing logit is at most one cell off the truth
                                // across and down

    void add(const SceneScore& other);
};

// Whether the model's head has a row for each answer: the kinds of shapes, then "no pair". Where
// its classes have no names, one that points besides is taken for such a model.
bool answers_scenes(const Model& model);

// What a class of the model is called: as its file says, else as an answer about scenes where it
// answers those; "class 6" where nobody says more.
std::string class_name(const Model& model, Index index);

// The whole model on a scene drawn in its own size; the observer hears of each layer. Throws as
// Runner::run() does; RecipeError for a model without an embedding of its own.
Trace run_scene(std::shared_ptr<const Model> model, const ShapeScene& scene,
                const Counterfactual& change, const LayerObserver& observer = {},
                const StopFlag& stop = {});

// Of one run. Counts nothing for outputs that the model has not, or an answer that there is not.
SceneScore score(const Trace& done, const ShapeScene& scene);

// Truth for the model's patches. Requires a trace of the scene.
SceneTruth truth_of(const Trace& trace, const ShapeScene& scene);

}  // namespace headlight

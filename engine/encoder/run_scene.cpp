#include "encoder/run_scene.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "analysis/pointing.h"
#include "ops/limits.h"
#include "ops/ops.h"

namespace headlight {

void SceneScore::add(const SceneScore& other) {
    scenes += other.scenes;
    right += other.right;
    without_pair += other.without_pair;
    right_without_pair += other.right_without_pair;
    pointing += other.pointing;
    near += other.near;
}

bool answers_scenes(const Model& model) {
    if (!model.classifier.exists() || model.gives_embedding ||
        model.classifier.weight->view().rows != kShapeKinds + 1)
        return false;
    if (model.class_names.empty()) return model.pointing.exists();
    for (int answer = 0; answer <= kShapeKinds; ++answer)
        if (model.class_names[static_cast<std::size_t>(answer)] != answer_name(answer))
            return false;
    return true;
}

std::string class_name(const Model& model, Index index) {
    const auto i = static_cast<std::size_t>(index);
    if (i < model.class_names.size()) return model.class_names[i];
    return answers_scenes(model) ? answer_name(static_cast<int>(index))
                                 : "class " + std::to_string(index);
}

Trace run_scene(std::shared_ptr<const Model> model, const ShapeScene& scene,
                const Counterfactual& change, const LayerObserver& observer, const StopFlag& stop) {
    if (!model->embedding.exists() || !model->splits.empty())
        throw RecipeError(model->file +
                          ": expected a whole model with an embedding of patches, found " +
                          model->title + ".");
    Recipe recipe;
    recipe.scene = scene;
    return Runner::run({front_of_picture(std::move(model), recipe, {}), change}, observer, stop);
}

SceneTruth truth_of(const Trace& trace, const ShapeScene& scene) {
    const Model& model = *trace.model;
    const int patch = model.has_merges() ? trace.grid.settings.size : model.patch_size;
    return truth_of(scene, draw_scene(scene, trace.grid.image_width), patch);
}

SceneScore score(const Trace& done, const ShapeScene& scene) {
    SceneScore score;
    score.scenes = 1;
    if (done.has(Tensor::logits) && answers_scenes(*done.model)) {
        const MatrixView logits = done.view(Tensor::logits);
        const auto best = std::max_element(logits.data, logits.data + logits.cols) - logits.data;
        score.right = answer_of(scene) == static_cast<int>(best) ? 1 : 0;
        score.without_pair = answer_of(scene) == kNoPair ? 1 : 0;
        score.right_without_pair = score.right * score.without_pair;
    }
    if (!done.has(Tensor::pointing)) return score;
    const int cols = pointed_cells(done).cols;
    const SceneTruth truth = truth_of(done, scene);
    const std::vector<int> twins = twins_of(scene);
    for (std::size_t p = 0; p < truth.shape.size(); ++p) {
        const int twin = truth.shape[p] < 0 ? -1 : twins[static_cast<std::size_t>(truth.shape[p])];
        if (twin < 0) continue;
        const Index token = done.layout.prefix() + static_cast<Index>(p);
        const int guess = point_of(done.view(Tensor::pointing), token).cell;
        const int true_cell = cell_of(scene.shapes[static_cast<std::size_t>(twin)], cols);
        const bool near = std::abs(guess / cols - true_cell / cols) <= 1 &&
                          std::abs(guess % cols - true_cell % cols) <= 1;
        ++score.pointing;
        if (near) ++score.near;
    }
    return score;
}

}  // namespace headlight

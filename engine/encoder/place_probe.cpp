#include "encoder/place_probe.h"

#include <string>

#include "analysis/readout.h"
#include "encoder/runner.h"
#include "ops/limits.h"
#include "ops/ops.h"

namespace headlight {

namespace {

void expect_pictures(const Model& model, const Recipe& recipe) {
    const bool joins = model.token_transformers() > 0 || model.has_merges();
    if (!model.is_maps() && !joins && !gives_tokens(recipe.tokens) && !is_cross(recipe)) return;
    throw RecipeError(
        "Positions can be recovered from scenes only if every layer has the same patches of one "
        "picture. This " +
        std::string(model.is_maps()               ? "file has only maps."
                    : joins                       ? "model merges its tokens."
                    : gives_tokens(recipe.tokens) ? "layer has tokens that are not patches."
                                                  : "layer has separate queries."));
}

Trace run(const std::shared_ptr<const Model>& model, Recipe recipe, const ShapeScene& scene,
          const StopFlag& stop) {
    recipe.image.clear();
    recipe.scene = scene;
    return Runner::run(
        {front_of_picture(model, recipe, {nullptr, stop}), counterfactual_of(recipe, *model)}, {},
        stop);
}

// Row and column of every patch, [P, 2].
Matrix places_of(const PatchGrid& grid) {
    Matrix places(grid.count(), 2);
    for (Index patch = 0; patch < grid.count(); ++patch)
        places.row(patch) << static_cast<float>(patch / grid.cols),
            static_cast<float>(patch % grid.cols);
    return places;
}

// Passes the patches' rows of the residual stream to the readout of every layer.
template <class Act>
void for_all_layers(const Trace& trace, std::vector<TaughtReadout>& readers, const Act& act) {
    const Matrix places = places_of(trace.grid);
    readers.resize(trace.stream.size());
    for (std::size_t l = 0; l < readers.size(); ++l) {
        const MatrixView stream = trace.stream[l]->view();
        act(readers[l], stream.block(stream.rows - places.rows(), 0, places.rows(), stream.cols),
            places);
    }
}

}  // namespace

SceneReadout read_places_of_scenes(const std::shared_ptr<const Model>& model, const Recipe& recipe,
                                   const std::vector<ShapeScene>& teaching,
                                   const std::vector<ShapeScene>& testing,
                                   std::atomic<float>& progress, const StopFlag& stop) {
    expect_pictures(*model, recipe);
    SceneReadout found;
    found.taught = static_cast<int>(teaching.size());
    found.tested = static_cast<int>(testing.size());
    std::vector<TaughtReadout> readers;
    int done = 0;
    const auto read = [&](const ShapeScene& scene, const auto& act) {
        throw_if_stopped(stop);
        const Trace trace = run(model, recipe, scene, stop);
        found.patches = trace.grid.count();
        for_all_layers(trace, readers, act);
        progress = static_cast<float>(++done) / static_cast<float>(found.taught + found.tested);
    };
    for (const ShapeScene& scene : teaching)
        read(scene, [](TaughtReadout& reader, const MatrixView& tokens, const Matrix& places) {
            reader.teach(tokens, places);
        });
    for (TaughtReadout& reader : readers) reader.fit(stop);
    for (const ShapeScene& scene : testing)
        read(scene, [](TaughtReadout& reader, const MatrixView& tokens, const Matrix& places) {
            reader.test(tokens, places);
        });
    for (const TaughtReadout& reader : readers) {
        const Eigen::VectorXd r = reader.r_squared();
        found.row.push_back(r[0]);
        found.column.push_back(r[1]);
    }
    return found;
}

}  // namespace headlight

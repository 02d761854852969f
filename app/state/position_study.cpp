#include "state/position_study.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/readout.h"
#include "encoder/place_probe.h"
#include "scene/random_scene.h"

namespace headlight {

namespace {

// Which channels turn together, as the kind is made.
Pairing pairing_of(PositionKind kind) {
    if (kind == PositionKind::sincos_2d) return Pairing::quarters;
    return Pairing::neighbours;
}

StudiedTable studied(Matrix patches, const PositionChoice& choice, const PositionQuestion& question,
                     const StopFlag& stop) {
    const int rows = question.trace->grid.rows, cols = question.trace->grid.cols;
    StudiedTable found;
    found.choice = choice;
    found.pairing = pairing_of(choice.kind);
    if (is_of_waves(choice, *question.trace->model))
        patches = without_waves(patches, found.pairing, question.fast_off, question.slow_off);
    throw_if_stopped(stop);
    Matrix cosines = cosine_matrix(patches);
    throw_if_stopped(stop);
    found.profile = offset_profile(cosines, rows, cols);
    found.properties = position_properties(patches, cosines, rows, cols, found.pairing);
    throw_if_stopped(stop);
    found.sheet = make_result(sheet_of_maps(cosines, rows, cols));
    found.cosines = make_result(std::move(cosines));
    found.channels = make_result(Matrix(patches.transpose()));
    found.table = make_result(std::move(patches));
    return found;
}

// What queries and keys are turned by, as a table: of every pair its sine, then its cosine.
Matrix table_of_rotation(const Trace& trace, const Rotary& rotary, Index patches) {
    const MatrixView sine = trace.view(Tensor::rotary_sine),
                     cosine = trace.view(Tensor::rotary_cosine);
    Matrix table(patches, rotary.head_dim());
    for (Index patch = 0; patch < patches; ++patch)
        for (Index pair = 0; pair < rotary.pair_count(); ++pair) {
            const Index token = sine.rows - patches + patch, channel = rotary.first(pair);
            table(patch, 2 * pair) = sine(token, channel);
            table(patch, 2 * pair + 1) = cosine(token, channel);
        }
    return table;
}

// What tells the trace's tokens where they are: what is added to them, or else their rotation.
std::optional<StudiedTable> study_present(const PositionQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const Index prefix = trace.layout.prefix(), patches = trace.grid.count();
    const MatrixView own = trace.view(Tensor::positions);
    if (own.rows == prefix + patches)
        return studied(own.eigen().bottomRows(patches), question.made, question, stop);
    const Node* rotation = trace.node(Step::rotary);
    if (rotation == nullptr || trace.view(Tensor::rotary_sine).rows != prefix + patches)
        return std::nullopt;
    StudiedTable found = studied(table_of_rotation(trace, rotation->get<Rotary>(), patches),
                                 question.made, question, stop);
    found.turns = true;
    return found;
}

// Of every head, where a bias is added to the scores.
std::optional<StudiedBiases> study_bias(const PositionQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const Index prefix = trace.layout.prefix(), patches = trace.grid.count();
    const MatrixView table = trace.view(Tensor::relative_table);
    if (!trace.has(Step::relative_bias) || table.empty()) return std::nullopt;
    const auto of_patches = [&](Tensor tensor, Index head) {
        const MatrixView all = trace.view(tensor, 0, head);
        return all.rows == prefix + patches ? all.block(prefix, prefix, patches, patches)
                                            : MatrixView();
    };
    StudiedBiases found{.choice = question.made, .heads = {}};
    for (Index head = 0; head < trace.shape.heads; ++head) {
        throw_if_stopped(stop);
        const MatrixView pairs = of_patches(Tensor::relative_bias, head),
                         products = of_patches(Tensor::scaled, head);
        if (pairs.empty()) return std::nullopt;
        StudiedBias one;
        Matrix picture = bias_picture(table, trace.grid.rows, trace.grid.cols, head);
        one.profile = bias_profile(picture);
        one.properties = bias_properties(pairs, trace.grid.rows, trace.grid.cols);
        one.deviation_of_products =
            products.empty() ? std::numeric_limits<double>::quiet_NaN() : deviation_of(products);
        one.picture = make_result(std::move(picture));
        found.low = std::min(found.low, one.properties.low);
        found.high = std::max(found.high, one.properties.high);
        found.heads.push_back(std::move(one));
    }
    return found;
}

}  // namespace

bool is_of_waves(const PositionChoice& choice, const Model& model) {
    if (choice.kind == PositionKind::model) return model.is_bare_layer();
    const PositionInfo& kind = info(choice.kind);
    return kind.table != nullptr && kind.base > 0;
}

PositionStudy study_positions(const PositionQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const Index prefix = trace.layout.prefix(), patches = trace.grid.count();
    PositionStudy study;
    const MatrixView own = trace.view(Tensor::positions);
    const Tensor tokens = is_cross(trace) ? Tensor::value_tokens : Tensor::tokens;
    const Index dim = own.empty() ? trace.view(tokens).cols : own.cols;
    TokenGrid places{.prefix = prefix};
    if (trace.grid.image_width > 0) places = {prefix, trace.grid.rows, trace.grid.cols};
    const auto study_of = [&](const PositionChoice& choice) {
        const Matrix table =
            position_table(choice.kind, {places, prefix + patches, dim, choice.base});
        return studied(table.bottomRows(patches), choice, question, stop);
    };
    try {
        if (!(question.choice == question.made) && is_of_waves(question.choice, *trace.model) &&
            question.choice.kind != PositionKind::model)
            study.present = study_of(question.choice);
    } catch (const PositionError&) {  // the trace that cannot be made says so
    }
    if (!study.present) study.present = study_present(question, stop);
    if (!study.present) study.bias = study_bias(question, stop);
    try {
        study.beside = study_of(question.beside);
    } catch (const PositionError& error) {
        study.why_not = error.what();
    }
    return study;
}

namespace {

Readout read_own_picture(const Trace& trace, const StopFlag& stop) {
    const auto first = static_cast<std::size_t>(trace.model->token_transformers());
    const Index prefix = trace.model->prefix.count(), patches = trace.grid.count();
    Readout found;
    if (trace.stream.size() != trace.model->layers.size() + 1 ||
        trace.layer < trace.model->token_transformers() || is_cross(trace))
        return found;
    found.patches = std::min(patches, kMostRead);
    if (found.patches < 3) return found;
    Matrix places(found.patches, 2);
    const auto patch_of = [&](Index i) { return i * patches / found.patches; };
    for (Index i = 0; i < found.patches; ++i)
        places.row(i) << static_cast<float>(patch_of(i) / trace.grid.cols),
            static_cast<float>(patch_of(i) % trace.grid.cols);
    for (std::size_t l = first; l < trace.stream.size(); ++l) {
        const MatrixView stream = trace.stream[l]->view();
        if (stream.rows < prefix + patches) return {};
        Matrix tokens(found.patches, stream.cols);
        for (Index i = 0; i < found.patches; ++i)
            tokens.row(i) = stream.eigen().row(prefix + patch_of(i));
        const Eigen::VectorXd r = linear_readout(tokens, places, stop);
        found.row.push_back(r[0]);
        found.column.push_back(r[1]);
    }
    return found;
}

// That the model which comes along was not trained on.
std::vector<ShapeScene> scenes_from(std::uint64_t first, int count) {
    std::vector<ShapeScene> scenes;
    for (int i = 0; i < count; ++i)
        scenes.push_back(random_scene(kFirstTestScene + first + static_cast<std::uint64_t>(i)));
    return scenes;
}

}  // namespace

Readout read_positions(const ReadoutQuestion& question, std::atomic<float>& progress,
                       const StopFlag& stop) {
    if (question.scenes == 0) return read_own_picture(*question.trace, stop);
    const int testing = std::max(1, question.scenes / 2);
    SceneReadout of_scenes = read_places_of_scenes(
        question.model, question.recipe, scenes_from(0, question.scenes),
        scenes_from(static_cast<std::uint64_t>(question.scenes), testing), progress, stop);
    return {std::move(of_scenes.row), std::move(of_scenes.column), of_scenes.patches,
            of_scenes.taught, of_scenes.tested};
}

ReadoutQuestion question_of_scenes(std::shared_ptr<const Model> model, Recipe recipe, int scenes) {
    recipe.image.clear();
    recipe.scene.reset();
    recipe.layer = 0;
    recipe.rollout.reset();
    return {nullptr, std::move(model), std::move(recipe), scenes};
}

std::unique_ptr<PositionReader> make_position_reader() {
    return std::make_unique<PositionReader>(
        [](const ReadoutQuestion& question, std::atomic<float>& progress, const StopFlag& stop) {
            return read_positions(question, progress, stop);
        });
}

std::unique_ptr<PositionStudent> make_position_student() {
    return std::make_unique<PositionStudent>(
        [](const PositionQuestion& question, std::atomic<float>&, const StopFlag& stop) {
            return study_positions(question, stop);
        });
}

std::unique_ptr<Shuffler> make_shuffler() {
    return std::make_unique<Shuffler>(
        [](const ShuffleQuestion& q, std::atomic<float>&, const StopFlag& stop) {
            return shuffle_patches(*q.trace, q.recipe,
                                   drawn_order(q.trace->view(Tensor::patches).rows, q.seed), stop);
        });
}

}  // namespace headlight

#include "state/position_study.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/readout.h"
#include "encoder/place_probe.h"
#include "scene/random_scene.h"

namespace headlight {

namespace {

// Which channels rotate together: from the kind of a generated table; for a model's own table, the
// pairing that fits its values.
Pairing pairing_of(const PositionChoice& choice, const MatrixView& table,
                   const PositionQuestion& question) {
    if (choice.kind == PositionKind::sincos_2d) return Pairing::quarters;
    const Trace& trace = *question.trace;
    if (choice.kind != PositionKind::model || trace.model == nullptr ||
        trace.model->is_bare_layer())
        return Pairing::neighbors;
    return pairing_that_turns(table, trace.grid.rows, trace.grid.cols);
}

// All pairs by the given measure; `cosines` is already known.
Matrix held_against(const MatrixView& table, Matrix cosines, PairMeasure measure) {
    switch (measure) {
        case PairMeasure::product:
            return product_matrix(table);
        case PairMeasure::distance:
            return distance_matrix(table);
        case PairMeasure::cosine:
            break;
    }
    return cosines;
}

void take_pairs(StudiedTable& study, Matrix pairs, int rows, int cols) {
    study.low = pairs.minCoeff();
    study.high = pairs.maxCoeff();
    study.profile = offset_profile(pairs, rows, cols);
    study.sheet = make_result(sheet_of_maps(pairs, rows, cols));
    study.pairs = make_result(std::move(pairs));
}

// Everything about a table or, for one that only serves as comparison, just the pairs.
enum class Depth { all, pairs };

StudiedTable studied(Matrix patches, const PositionChoice& choice, const PositionQuestion& question,
                     std::optional<Pairing> pairing, Depth depth, const StopFlag& stop) {
    const int rows = question.trace->grid.rows, cols = question.trace->grid.cols;
    StudiedTable found;
    found.choice = choice;
    found.pairing = pairing ? *pairing : pairing_of(choice, patches, question);
    const double within = question.collapsed ? kCollapsed * mean_length(patches) : 0;
    if (is_of_waves(choice, *question.trace->model))
        patches = without_waves(patches, found.pairing, question.fast_off, question.slow_off);
    throw_if_stopped(stop);
    Matrix cosines;
    if (depth == Depth::all || question.measure == PairMeasure::cosine)
        cosines = cosine_matrix(patches);
    throw_if_stopped(stop);
    if (depth == Depth::all) {
        found.properties = position_properties(patches, cosines, rows, cols, found.pairing);
        if (question.collapsed) found.collapsed = collapsed_pairs(patches, within);
        found.channels = make_result(Matrix(patches.transpose()));
    }
    throw_if_stopped(stop);
    take_pairs(found, held_against(patches, std::move(cosines), question.measure), rows, cols);
    found.table = make_result(std::move(patches));
    return found;
}

// The rotation of queries and keys as a table: the sine of every pair, then its cosine.
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

// The ways in which the trace's tokens get position information.
std::vector<PositionWay> ways_of(const Trace& trace) {
    const Index tokens = trace.layout.prefix() + trace.grid.count();
    std::vector<PositionWay> ways;
    if (trace.view(Tensor::positions).rows == tokens) ways.push_back(PositionWay::added);
    if (trace.has(Step::rotary) && trace.view(Tensor::rotary_sine).rows == tokens)
        ways.push_back(PositionWay::turned);
    if (trace.has(Step::relative_bias) && !trace.view(Tensor::relative_table).empty())
        ways.push_back(PositionWay::bias);
    return ways;
}

// The requested one, or else the first.
std::optional<PositionWay> way_of(const std::vector<PositionWay>& ways, PositionWay asked) {
    if (ways.empty()) return std::nullopt;
    return std::ranges::count(ways, asked) > 0 ? asked : ways.front();
}

// The trace's table: what is added to tokens, or their rotation.
StudiedTable study_present(const PositionQuestion& question, PositionWay way,
                           const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const Index patches = trace.grid.count();
    if (way == PositionWay::added)
        return studied(trace.view(Tensor::positions).eigen().bottomRows(patches), question.made,
                       question, {}, Depth::all, stop);
    const auto& rotary = trace.node(Step::rotary)->get<Rotary>();
    StudiedTable found = studied(table_of_rotation(trace, rotary, patches), question.made, question,
                                 Pairing::neighbors, Depth::all, stop);
    found.turns = true;
    return found;
}

// For every head, if a bias is added to the scores.
std::optional<StudiedBiases> study_bias(const PositionQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const Index prefix = trace.layout.prefix(), patches = trace.grid.count();
    const MatrixView table = trace.view(Tensor::relative_table);
    const auto windows = windows_of(trace, trace.node(Step::relative_bias));
    const int rows = windows ? windows->size() : trace.grid.rows,
              cols = windows ? windows->size() : trace.grid.cols;
    const Index many = Index{rows} * cols;
    Matrix of_window;  // pairs of every head within one window
    if (windows) {
        const Windows one({rows}, {0, rows, cols});
        of_window.resize(table.cols * many, many);
        for (Index i = 0; i < of_window.rows(); ++i)
            for (Index key = 0; key < many; ++key)
                of_window(i, key) = table(one.offset(i % many, key), i / many);
    }
    const auto of_patches = [&](Tensor tensor, Index head) {
        const MatrixView all = trace.view(tensor, 0, head);
        return all.rows == prefix + patches ? all.block(prefix, prefix, patches, patches)
                                            : MatrixView();
    };
    StudiedBiases found{.choice = question.made, .heads = {}, .rows = rows, .cols = cols};
    for (Index head = 0; head < trace.shape.heads; ++head) {
        throw_if_stopped(stop);
        const MatrixView pairs = windows ? MatrixView(of_window).block(head * many, 0, many, many)
                                         : of_patches(Tensor::relative_bias, head),
                         products = of_patches(Tensor::scaled, head);
        if (pairs.empty()) return std::nullopt;
        StudiedBias one;
        Matrix picture = bias_picture(table, rows, cols, head);
        one.profile = bias_profile(picture);
        one.properties = bias_properties(pairs, rows, cols);
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
    return kind.table != nullptr && kind.takes.base > 0;
}

namespace {

// Tables for the question's tokens, computed by formula.
class Formulas {
  public:
    explicit Formulas(const PositionQuestion& question) : question_(question) {
        const Trace& trace = *question.trace;
        const MatrixView own = trace.view(Tensor::positions);
        const Tensor tokens = is_cross(trace) ? Tensor::value_tokens : Tensor::tokens;
        dim_ = own.empty() ? trace.view(tokens).cols : own.cols;
        places_.prefix = trace.layout.prefix();
        if (trace.grid.image_width > 0)
            places_ = {trace.layout.prefix(), trace.grid.rows, trace.grid.cols};
    }
    // For the patches. Throws PositionError.
    [[nodiscard]] Matrix table(PositionKind kind, double base, WavesFirst first) const {
        if (dim_ == 0)
            throw PositionError(
                "These are attention maps without tokens, so there is nothing to add positions "
                "to.");
        const Index patches = question_.trace->grid.count();
        return position_table(kind, {places_, places_.prefix + patches, dim_, base, 0, first})
            .bottomRows(patches);
    }
    // With the default base; empty if these tokens cannot have this kind.
    [[nodiscard]] Matrix table_or_none(PositionKind kind,
                                       WavesFirst first = WavesFirst::columns) const {
        try {
            return table(kind, kUsualBase, first);
        } catch (const PositionError&) {
            return {};
        }
    }
    [[nodiscard]] StudiedTable study(const PositionChoice& choice, Depth depth,
                                     const StopFlag& stop) const {
        return studied(table(choice.kind, choice.base, choice.first), choice, question_, {}, depth,
                       stop);
    }

  private:
    const PositionQuestion& question_;
    TokenGrid places_;
    Index dim_ = 0;
};

double difference_of(const MatrixView& a, const MatrixView& b) {
    if (a.rows != b.rows || a.cols != b.cols) return std::numeric_limits<double>::infinity();
    return (a.eigen() - b.eigen()).cwiseAbs().maxCoeff();
}

// Rounding error of sines stored in half precision.
constexpr double kEqual = 1e-3;

// Finds the formula that the model's own table follows, or that a generated table equals the
// model's own.
void compare_with_others(PositionStudy& study, const PositionQuestion& question,
                         const Formulas& formulas) {
    const Trace& trace = *question.trace;
    if (trace.model == nullptr || trace.model->positions.table == nullptr || !study.present ||
        study.present->turns)
        return;
    const PositionTable& own = trace.model->positions;
    const MatrixView present = study.present->table->view();
    const auto hold_against = [&](PositionKind kind, const MatrixView& table,
                                  WavesFirst first = WavesFirst::columns) {
        const double difference = difference_of(present, table);
        if (!(difference <= kEqual)) return;
        study.equals = kind;
        study.difference = difference;
        study.first = first;
    };
    if (study.present->choice.kind == PositionKind::model) {
        hold_against(PositionKind::sinusoidal, formulas.table_or_none(PositionKind::sinusoidal));
        for (const WavesFirst first : {WavesFirst::columns, WavesFirst::rows})
            hold_against(PositionKind::sincos_2d,
                         formulas.table_or_none(PositionKind::sincos_2d, first), first);
    } else if (own.grid_rows == trace.grid.rows && own.grid_cols == trace.grid.cols &&
               own.table->view().rows >= present.rows) {
        const MatrixView table = own.table->view();
        hold_against(PositionKind::model,
                     table.block(table.rows - present.rows, 0, present.rows, table.cols));
    }
}

// The table to compare with the current one; if both are the same, the other kind of waves.
void study_beside(PositionStudy& study, const PositionQuestion& question, const Formulas& formulas,
                  const StopFlag& stop) {
    const Depth depth = study.present ? Depth::pairs : Depth::all;
    try {
        study.beside = formulas.study(question.beside, depth, stop);
    } catch (const PositionError& error) {
        study.why_not = error.what();
        return;
    }
    if (!study.present || study.present->turns ||
        !(difference_of(study.present->table->view(), study.beside->table->view()) <= kEqual))
        return;
    PositionChoice other = question.beside;
    other.kind =
        other.kind == PositionKind::sinusoidal ? PositionKind::sincos_2d : PositionKind::sinusoidal;
    try {
        study.beside = formulas.study(other, depth, stop);
    } catch (const PositionError&) {  // then shows the same table twice
    }
}

// If nothing is added yet, as to T2T's tokens before they are merged, shows the table that is
// wanted.
PositionQuestion with_wanted_beside(const PositionQuestion& question, const PositionStudy& study) {
    PositionQuestion asked = question;
    const bool waves = is_of_waves(question.choice, *question.trace->model) &&
                       question.choice.kind != PositionKind::model;
    if (waves && !study.present && !study.bias) asked.beside = question.choice;
    return asked;
}

}  // namespace

PositionStudy study_positions(const PositionQuestion& question, const StopFlag& stop) {
    PositionStudy study;
    const Formulas formulas(question);
    try {
        if (!(question.choice == question.made) &&
            is_of_waves(question.choice, *question.trace->model) &&
            question.choice.kind != PositionKind::model)
            study.present = formulas.study(question.choice, Depth::all, stop);
    } catch (const PositionError&) {  // the trace that cannot be computed reports it
    }
    study.ways = ways_of(*question.trace);
    const auto way = way_of(study.ways, question.way);
    if (!study.present && way == PositionWay::bias) study.bias = study_bias(question, stop);
    if (!study.present && way && way != PositionWay::bias)
        study.present = study_present(question, *way, stop);
    study_beside(study, with_wanted_beside(question, study), formulas, stop);
    compare_with_others(study, question, formulas);
    return study;
}

namespace {

Readout read_own_picture(const Trace& trace, const StopFlag& stop) {
    const auto first = static_cast<std::size_t>(trace.model->token_transformers());
    const Index prefix = trace.model->prefix.count(), patches = trace.grid.count();
    Readout found;
    if (trace.stream.size() != trace.model->layers.size() + 1 ||
        trace.layer < trace.model->token_transformers() || trace.model->has_merges() ||
        is_cross(trace))
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

// Scenes that the shipped model was not trained on.
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

const ReadoutFinder kReadout{
    .compute =
        [](const ReadoutQuestion& question, const ReadoutFinder::Run& run) {
            return read_positions(question, run.progress, run.stop);
        },
    .takes_long = true};

const PositionFinder kPositionTable{
    .compute = [](const PositionQuestion& question, const PositionFinder::Run& run) {
        return study_positions(question, run.stop);
    }};

const RotationFinder kRotation{
    .compute = [](const RotationQuestion& q, const RotationFinder::Run&) {
        return turned(q.table->view(), q.rows, q.cols, q.pairing, q.down, q.right);
    }};

}  // namespace headlight

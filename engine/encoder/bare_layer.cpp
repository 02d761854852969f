#include "encoder/bare_layer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "encoder/run_layer.h"
#include "encoder/runner.h"
#include "ops/limits.h"
#include "program/score.h"

namespace headlight {

std::shared_ptr<const Model> layer_to_be_drawn() {
    auto model = std::make_shared<Model>();
    model->family = "drawn";
    model->title = "One attention layer, drawn from a seed";
    model->preprocessing = bare_preprocessing();
    model->patch_size = PatchSettings{}.size;
    model->layers.resize(1);
    model->layers.front().attention.heads = kUsualHeads;
    return model;
}

// What the file says, and what was asked instead. The width of a token follows from its patch.
LayerSettings Runner::bare_settings() const {
    const Model& model = *draft_->model;
    LayerSettings settings;
    AttentionConfig& config = settings.attention;
    config = model.layers.front().attention;
    config.heads = recipe_.heads.value_or(config.heads);
    config.skip = recipe_.skip.value_or(config.skip);
    if (recipe_.scale) config.scale = recipe_.scale;
    config.temperature = recipe_.temperature;
    config.variant = recipe_.variant;
    const bool learned = config.variant.projections == Projections::learned;
    if (recipe_.weights.empty() || !learned) {
        const int size = patches_of(recipe_, model).size;
        // Sizes that overflow are refused when the patches are cut, before anything reads this.
        config.dim = static_cast<int>(std::min<std::int64_t>(
            std::int64_t{size} * size * (is_grey(recipe_, model) ? 1 : 3), 1 << 30));
        config.channels = learned ? recipe_.channels : config.dim;
        config.value_channels = learned ? recipe_.value_channels : std::nullopt;
        config.outputs = learned ? recipe_.outputs : std::nullopt;
        config.qkv_bias = recipe_.qkv_bias;
    }
    if (!learned) {
        config.heads = 1;
        config.skip = recipe_.skip.value_or(Skip::none);
    }
    validate(config);
    if (!recipe_.weights.empty())
        expect_score_weights(model.layers.front(), config, recipe_.weights);
    settings.mask = recipe_.mask;
    settings.rotary = rotary_of(model, recipe_.position, config.head_dim());
    settings.switched_off = heads_off(recipe_.switched_off, 0, config.heads);
    return settings;
}

bool Runner::draws_weights() const {
    if (!recipe_.weights.empty() || recipe_.variant.projections == Projections::none) return false;
    const Layer& layer = draft_->model->layers.front();
    const AttentionConfig &present = layer.attention, &wanted = settings_.attention;
    return !layer.qkv.exists() || last_recipe_.seed != recipe_.seed || present.dim != wanted.dim ||
           present.channels != wanted.channels || present.value_channels != wanted.value_channels ||
           present.outputs != wanted.outputs || present.qkv_bias != wanted.qkv_bias;
}

void Runner::check_bare_width() const {
    if (recipe_.weights.empty() || recipe_.variant.projections == Projections::none) return;
    const int reads = settings_.attention.dim;
    const Index cut = draft_->all(Tensor::tokens).cols;
    if (reads == cut) return;
    throw RecipeError(recipe_.weights + ": its layer reads tokens of " + std::to_string(reads) +
                      " numbers, but these patches have " + std::to_string(cut) +
                      ": choose a patch size and colour that give " + std::to_string(reads) + ".");
}

void Runner::draw_weights_of_layer(const StopFlag& stop) {
    const AttentionConfig& config = settings_.attention;
    // In double: both factors come from the user.
    refuse_beyond_memory(4.0 * (config.dim * (2.0 * config.channels + config.value_width()) +
                                1.0 * config.value_width() * config.output_width()),
                         "These weights", "fewer channels or smaller patches");
    const auto weights =
        std::make_shared<const AttentionWeights>(draw_weights(config, recipe_.seed, stop));
    AttentionConfig own = layer_to_be_drawn()->layers.front().attention;  // without choices
    own.dim = config.dim;
    own.channels = config.channels;
    own.value_channels = config.value_channels;
    own.outputs = config.outputs;
    own.qkv_bias = config.qkv_bias;
    set_drawn_layer(bare_layer(own, weights));
}

void Runner::set_drawn_layer(Layer layer) {
    auto model = std::make_shared<Model>(*layer_to_be_drawn());
    model->layers = {std::move(layer)};
    draft_->model = std::move(model);
    program_.layer = layer_nodes(draft_->model->layers.front(), settings_);
    draft_->nodes = program_.walk(*draft_->model);
}

Runner::DrawnFor Runner::wanted_score() const {
    const AttentionConfig& config = settings_.attention;
    const Trace& trace = *draft_;
    return {trace.model->layers.front().score.weight,
            config.score(),
            config.heads,
            config.channels,
            trace.all(Tensor::tokens).rows / trace.shape.batch,
            recipe_.seed};
}

// Whatever makes them new makes all of their readers new: the nodes, the tokens, or the cut into
// heads.
bool Runner::draws_score() const {
    const bool needed = !info(settings_.attention.score()).weight.empty();
    return needed && recipe_.weights.empty() && wanted_score() != drawn_for_;
}

void Runner::draw_score_of_layer() {
    const AttentionConfig& config = settings_.attention;
    DrawnScore drawn = draw_score_weights(config, wanted_score().keys, recipe_.seed);
    Layer layer = draft_->model->layers.front();
    layer.score = {config.heads, make_result(std::move(drawn.weight)),
                   drawn.vector.size() == 0 ? nullptr : make_result(std::move(drawn.vector))};
    set_drawn_layer(std::move(layer));
    drawn_for_ = wanted_score();
}

}  // namespace headlight

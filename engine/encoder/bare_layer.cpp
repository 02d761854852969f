#include "encoder/bare_layer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "encoder/run_layer.h"
#include "encoder/runner.h"
#include "ops/limits.h"

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
    if (recipe_.weights.empty()) {
        const int size = patches_of(recipe_, model).size;
        // Sizes that overflow are refused when the patches are cut, before anything reads this.
        config.dim = static_cast<int>(std::min<std::int64_t>(
            std::int64_t{size} * size * (is_grey(recipe_, model) ? 1 : 3), 1 << 30));
        config.channels = recipe_.channels;
        config.qkv_bias = recipe_.qkv_bias;
    }
    validate(config);
    settings.mask = recipe_.mask;
    settings.switched_off = heads_off(recipe_.switched_off, 0, config.heads);
    return settings;
}

bool Runner::draws_weights() const {
    if (!recipe_.weights.empty()) return false;
    const Layer& layer = draft_->model->layers.front();
    const AttentionConfig &present = layer.attention, &wanted = settings_.attention;
    return !layer.qkv.exists() || last_recipe_.seed != recipe_.seed || present.dim != wanted.dim ||
           present.channels != wanted.channels || present.qkv_bias != wanted.qkv_bias;
}

void Runner::check_bare_width() const {
    if (recipe_.weights.empty()) return;
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
    refuse_beyond_memory(4.0 * config.channels * (3.0 * config.dim + config.channels),
                         "These weights", "fewer channels or smaller patches");
    const auto weights =
        std::make_shared<const AttentionWeights>(draw_weights(config, recipe_.seed, stop));
    auto model = std::make_shared<Model>(*layer_to_be_drawn());
    AttentionConfig own = model->layers.front().attention;  // without the recipe's choices
    own.dim = config.dim;
    own.channels = config.channels;
    own.qkv_bias = config.qkv_bias;
    model->layers = {bare_layer(own, weights)};
    draft_->model = std::move(model);
    program_.layer = layer_nodes(draft_->model->layers.front(), settings_);
    draft_->nodes = program_.walk(*draft_->model);
}

}  // namespace headlight

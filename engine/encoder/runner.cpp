#include "encoder/runner.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "checkpoint/layer_file.h"
#include "encoder/layer_steps.h"

namespace headlight {

namespace {

std::string gigabytes(double bytes) {
    const auto tenths = std::llround(bytes / (1024.0 * 1024 * 1024) * 10);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

void refuse_beyond_memory(double bytes, const char* what, const char* remedy) {
    if (bytes <= kMaxTraceBytes) return;
    throw RecipeError(std::string(what) + " would need " + gigabytes(bytes) + "; the limit is " +
                      gigabytes(kMaxTraceBytes) + ". Choose " + remedy + ".");
}

constexpr const char* kFewerTokens = "a smaller image, larger patches or a larger stride";

void frame_picture(Trace& trace, const Recipe& recipe, const FileReader& read_file, bool decode) {
    if (decode || !trace.source) {
        const FileBytes bytes = read_file(recipe.image);
        trace.source = std::make_shared<const Image>(decode_image(bytes, recipe.image));
    }
    Image framed =
        frame_image(*trace.source, recipe.image_height, recipe.image_width, recipe.framing);
    framed = recipe.grey ? to_grey(framed) : to_rgb(framed);

    Matrix planes(framed.height, static_cast<Index>(framed.width) * framed.channels);
    for (int y = 0; y < framed.height; ++y)
        for (int c = 0; c < framed.channels; ++c)
            for (int x = 0; x < framed.width; ++x)
                planes(y, c * framed.width + x) = framed.at(y, x, c);
    trace.pixels = make_result(std::move(planes));
    trace.image = std::make_shared<const Image>(std::move(framed));
}

void cut_patches(Trace& trace, const Recipe& recipe) {
    const Image& image = *trace.image;
    trace.grid = make_patch_grid(image.height, image.width, recipe.patches);
    // What any layer over them keeps: patches, positions, tokens; three squares of one head. In
    // double, for the sizes come from the user.
    const double n = trace.grid.count();
    const double width =
        static_cast<double>(recipe.patches.size) * recipe.patches.size * image.channels;
    refuse_beyond_memory(3 * 4 * n * (width + n), "A layer over this many patches", kFewerTokens);
    trace.mean.assign(recipe.mean.begin(), recipe.mean.begin() + image.channels);
    trace.std.assign(recipe.std.begin(), recipe.std.begin() + image.channels);
    trace.patches = make_result(extract_patches(image, trace.grid, trace.mean, trace.std));
    trace.shape = {1, trace.grid.count(), trace.grid.count(), 1, 0};
}

void add_positions(Trace& trace, const Recipe& recipe) {
    const Matrix& patches = trace.patches->matrix;
    if (recipe.position == PositionKind::none) {
        trace.positions = nullptr;
        trace.tokens = trace.patches;  // the same numbers, so the same result
        return;
    }
    trace.positions = make_result(position_table(recipe.position, patches.rows(), patches.cols()));
    trace.tokens = make_result(patches + trace.positions->matrix);
}

AttentionConfig layer_config(const Recipe& recipe, Index dim) {
    AttentionConfig config;
    config.dim = static_cast<int>(dim);
    config.channels = recipe.channels;
    config.heads = recipe.heads;
    config.qkv_bias = recipe.qkv_bias;
    config.scale = recipe.scale;
    config.temperature = recipe.temperature;
    config.skip = recipe.skip;
    return config;
}

AttentionWeights weights_from_file(const Recipe& recipe, const FileReader& read_file,
                                   AttentionConfig& config) {
    const FileBytes bytes = read_file(recipe.weights);
    LayerFile file = read_layer(read_safetensors(bytes, recipe.weights), recipe.weights);
    if (file.dim != config.dim)
        throw RecipeError(
            recipe.weights + ": its layer reads tokens of " + std::to_string(file.dim) +
            " numbers, but these patches have " + std::to_string(config.dim) +
            ": choose a patch size and colour that give " + std::to_string(file.dim) + ".");
    config.channels = file.channels;
    config.qkv_bias = file.has_bias;
    return std::move(file.weights);
}

}  // namespace

double trace_bytes(const AttentionShape& shape, Index dim) {
    const double b = static_cast<double>(shape.batch), n = static_cast<double>(shape.queries),
                 m = static_cast<double>(shape.keys), h = static_cast<double>(shape.heads),
                 c = static_cast<double>(shape.channels()), d = static_cast<double>(dim);
    const double tokens =
        b * n * (3 * d + 7 * c);               // patches, positions, tokens; qkv and four outputs
    const double squares = 3 * b * h * n * m;  // products, scores, attention
    return 4 * (tokens + squares + 3 * c * d + c * c);
}

void Runner::begin(const Recipe& recipe) {
    recipe_ = recipe;
    const auto first = last_ ? first_changed_step(last_recipe_, recipe) : Step::image;
    draft_ = last_ ? std::make_unique<Trace>(*last_) : std::make_unique<Trace>();
    draft_->recomputed.fill(false);
    first_ = next_ = first ? static_cast<int>(*first) : kStepCount;
}

bool Runner::advance(const StopFlag& stop) {
    if (!draft_) return false;
    try {
        if (next_ < kStepCount) {
            if (stop && stop()) throw Stopped();
            const auto start = std::chrono::steady_clock::now();
            compute(static_cast<Step>(next_), stop);
            const std::chrono::duration<double, std::milli> spent =
                std::chrono::steady_clock::now() - start;
            const auto step = static_cast<std::size_t>(next_++);
            draft_->milliseconds[step] = spent.count();
            draft_->recomputed[step] = true;
        }
    } catch (...) {
        draft_.reset();
        throw;
    }
    if (next_ < kStepCount) return true;
    last_ = std::move(draft_);
    last_recipe_ = recipe_;
    return false;
}

std::shared_ptr<const Trace> Runner::run(const Recipe& recipe, const StopFlag& stop) {
    begin(recipe);
    while (advance(stop)) {
    }
    return last_;
}

float Runner::progress() const {
    if (first_ >= kStepCount) return 1.0F;
    return static_cast<float>(next_ - first_) / static_cast<float>(kStepCount - first_);
}

void Runner::compute(Step step, const StopFlag& stop) {
    Trace& trace = *draft_;
    switch (step) {
        case Step::image: {
            const bool other_file = !last_ || last_recipe_.image != recipe_.image;
            return frame_picture(trace, recipe_, read_file_, other_file);
        }
        case Step::patches:
            return cut_patches(trace, recipe_);
        case Step::position:
            return add_positions(trace, recipe_);
        case Step::qkv:
            return choose_layer();
        default:
            break;
    }
    // The layer's own parameters may have changed without its weights.
    const AttentionConfig with_file = trace.config;
    trace.config = layer_config(recipe_, with_file.dim);
    trace.config.channels = with_file.channels;
    trace.config.qkv_bias = with_file.qkv_bias;
    compute_layer_step(trace, step, stop);
}

// Whether the weights of the last trace are also this recipe's: then their results stay as they
// are.
bool Runner::keeps_weights(const AttentionConfig& config) const {
    if (!last_ || last_recipe_.weights != recipe_.weights || last_->config.dim != config.dim)
        return false;
    if (!recipe_.weights.empty()) return true;  // a file decides the rest
    return last_recipe_.seed == recipe_.seed && last_->config.channels == config.channels &&
           last_->config.qkv_bias == config.qkv_bias;
}

void Runner::load_weights(AttentionConfig& config) {
    AttentionWeights weights;
    if (recipe_.weights.empty()) {
        validate(config);
        // In double: both factors come from the user.
        refuse_beyond_memory(4.0 * config.channels * (3.0 * config.dim + config.channels),
                             "These weights", "fewer channels or smaller patches");
        weights = draw_weights(config, recipe_.seed);
    } else {
        weights = weights_from_file(recipe_, read_file_, config);
    }
    set_weights(*draft_, std::make_shared<const AttentionWeights>(std::move(weights)));
}

void Runner::choose_layer() {
    Trace& trace = *draft_;
    AttentionConfig config = layer_config(recipe_, trace.tokens->matrix.cols());
    if (keeps_weights(config)) {
        config.channels = last_->config.channels;
        config.qkv_bias = last_->config.qkv_bias;
    } else {
        load_weights(config);
    }
    validate(config);
    trace.config = config;
    trace.shape = {1, trace.grid.count(), trace.grid.count(), config.heads, config.head_dim()};
    refuse_beyond_memory(trace_bytes(trace.shape, config.dim), "This layer", kFewerTokens);
    compute_layer_step(trace, Step::qkv, {});
}

}  // namespace headlight

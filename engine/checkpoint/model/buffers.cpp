#include "model/buffers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "model/name_words.h"
#include "model/side_parts.h"

namespace headlight {

namespace {

constexpr auto kPixelNames = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"pixel_mean", "pixel_std"},
     {"image_mean", "image_std"},
     {"img_mean", "img_std"},
     {"normalize.mean", "normalize.std"},
     {"mean", "std"}});

bool names_pixels(std::string_view name) {
    return std::ranges::any_of(
        kPixelNames, [&](const auto& pair) { return name == pair.first || name == pair.second; });
}

// True for 0, 1, 2, ...: each token's position is its row.
bool counts_up(TensorReader& at, const std::string& name) {
    const std::vector<float> numbers = at.buffer(name, at.shape(name));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != static_cast<float>(i)) return false;
    return true;
}

// True if all numbers are equal. Added to scores, multiplied with them or used as a boolean mask,
// such a tensor has no effect.
bool is_level(TensorReader& at, const std::string& name) {
    const std::vector<float> numbers = at.buffer(name, at.shape(name));
    return std::ranges::adjacent_find(numbers, std::not_equal_to{}) == numbers.end();
}

// A loss or a metric as in torchmetrics: a module named after what it measures, or one of its
// counters.
bool is_of_metric(std::string_view first, std::string_view last) {
    constexpr auto kMetrics = std::to_array<std::string_view>(
        {"acc",       "accuracy", "metric", "metrics", "auroc",  "auc",   "recall", "confmat",
         "confusion", "iou",      "miou",   "jaccard", "dice",   "kappa", "mse",    "rmse",
         "psnr",      "ssim",     "meter",  "meters",  "stats",  "fbeta", "loss",   "losses",
         "criterion", "ce",       "bce",    "nll",     "entropy"});
    constexpr auto kCounts = std::to_array<std::string_view>(
        {"tp", "fp", "tn", "fn", "confmat", "correct", "total", "preds", "target", "sum_value",
         "mean_value", "max_value", "min_value", "n_obs", "sum_squared_error", "sum_abs_error"});
    const std::string component(first);
    const std::vector<std::string> words = words_of(component);
    if (first == last || words.empty() || words.back() == "head") return false;
    const bool is_named =
        std::ranges::any_of(words, [&](const std::string& word) { return is_any(word, kMetrics); });
    return is_named || (is_any(last, kCounts) && !names_encoder_part(component));
}

// Dropout, of values or of whole branches, has no effect outside training.
bool is_of_dropout(TensorReader& at, std::string_view name) {
    constexpr auto kDropout =
        std::to_array<std::string_view>({"drop", "dropout", "droppath", "dropblock"});
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (last == "weight" || last == "bias") return false;  // learned
    return at.shape(std::string(name)).size() <= 1 &&
           std::ranges::any_of(words_of(name),
                               [&](const std::string& word) { return is_any(word, kDropout); });
}

// Part of a training loop, by its whole name: MoCo's queue, DINO's center of the teacher's output,
// or a number.
bool is_of_training(TensorReader& at, std::string_view name) {
    constexpr auto kNumbers = std::to_array<std::string_view>(
        {"ema_decay", "decay", "label_smoothing", "grad_norm", "global_step", "step", "steps",
         "epoch", "epochs", "iteration", "iterations", "initted"});
    constexpr auto kTables =
        std::to_array<std::string_view>({"queue", "queue_ptr", "center", "confusion_matrix"});
    return is_any(name, kTables) ||
           (is_any(name, kNumbers) && at.shape(std::string(name)).size() <= 1);
}

}  // namespace

bool is_harmless_buffer(TensorReader at, const std::string& name) {
    constexpr auto kUncomputed =
        std::to_array<std::string_view>({"num_batches_tracked", "n_averaged", "num_updates", "dpr",
                                         "class_weight", "class_weights"});
    constexpr auto kPositions =
        std::to_array<std::string_view>({"position_ids", "position_index", "pos_ids", "pos_index"});
    constexpr auto kOffsets = std::to_array<std::string_view>(
        {"relative_position_index", "relative_index", "rel_pos_index", "rel_index", "rel_idx",
         "rel_pos_idx", "relative_position_idx", "relative_idx"});
    constexpr auto kMasks =
        std::to_array<std::string_view>({"bias", "mask", "attn_mask", "causal_mask"});
    const std::string_view whole = name;
    const std::string_view first = whole.substr(0, whole.find('.'));
    const std::string_view last = whole.substr(whole.rfind('.') + 1);
    if (is_any(last, kUncomputed) || names_pixels(name) || is_of_dropout(at, name)) return true;
    if (is_of_training(at, name)) return true;
    // thop adds these to every module.
    if (last == "total_ops" || last == "total_params") return at.shape(name).size() <= 1;
    if (is_of_metric(first, last)) return true;
    if (is_any(last, kPositions)) return counts_up(at, name);
    if (is_any(last, kOffsets)) return !is_floating_point(at.type(name));
    // A bias is a row, but a mask has a row per query.
    if (is_any(last, kMasks)) return at.shape(name).size() >= 2 && is_level(at, name);
    // The value for masked scores; the mask itself decides.
    return last == "masked_bias" && at.shape(name).size() <= 1;
}

std::optional<ModelConfig> pixel_statistics(const TensorReader& at) {
    const auto numbers = [](TensorReader reader,
                            std::string_view name) -> std::optional<std::array<float, 3>> {
        if (!reader.has(name)) return {};
        std::size_t count = 1;
        for (const std::int64_t n : reader.shape(name)) count *= static_cast<std::size_t>(n);
        if (count != 1 && count != 3) return {};
        const std::vector<float> read = reader.buffer(name, reader.shape(name));
        return std::array{read[0], read[count / 2], read[count - 1]};
    };
    for (const std::string& prefix : enclosing_prefixes(at.prefix()))
        for (const auto& [mean_name, std_name] : kPixelNames) {
            const TensorReader reader = at.from_root().at(prefix);
            auto mean = numbers(reader, mean_name), std = numbers(reader, std_name);
            if (!mean || !std || std::ranges::min(*std) <= 0) continue;
            // Values for pixels from 0 to 255, if they exceed the range of pixels from 0 to 1.
            if (std::ranges::max(*mean) > 1 || std::ranges::max(*std) > 1)
                for (auto* values : {&*mean, &*std})
                    for (float& value : *values) value /= 255;
            ModelConfig config;
            config.name =
                prefix + std::string(mean_name) + " and " + std::string(std_name) + " in the file";
            config.mean = mean;
            config.std = std;
            return config;
        }
    return {};
}

std::vector<std::string> enclosing_prefixes(const std::string& prefix) {
    std::vector<std::string> prefixes{prefix};
    while (!prefixes.back().empty()) {
        const std::string& inner = prefixes.back();
        const std::size_t dot =
            inner.size() < 2 ? std::string::npos : inner.rfind('.', inner.size() - 2);
        prefixes.push_back(dot == std::string::npos ? "" : inner.substr(0, dot + 1));
    }
    return prefixes;
}

}  // namespace headlight

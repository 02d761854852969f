#include "cli/input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "cli/errors.h"
#include "cli/files.h"

namespace headlight::cli {

namespace {

constexpr std::array<std::string_view, 6> kNames{"pixels", "tokens", "query",
                                                 "value",  "mask",   "key_padding_mask"};

// A tensor of the input file with its name, for the sentence that refuses it.
struct InputTensor {
    const NamedTensor& tensor;
    const std::string& path;
    std::string name;

    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return tensor.shape[axis]; }
    [[noreturn]] void refuse(const std::string& expected) const {
        throw WorkError(path + ": tensor \"" + name + "\": expected " + expected + ", found " +
                        shape_text(tensor.shape) + ".");
    }
};

// The tokens of all samples one below the other: [B, N, D] becomes [B·N, D].
Matrix token_rows(const InputTensor& input, std::int64_t dim) {
    const auto& shape = input.tensor.shape;
    if (shape.size() != 3 || shape[0] < 1 || shape[1] < 1 || shape[2] != dim)
        input.refuse("[B, N, " + std::to_string(dim) + "] for this layer");
    return Eigen::Map<const Matrix>(input.tensor.values.data(), shape[0] * shape[1], dim);
}

// Images are [H, W, C] here and [C, H, W] in the file.
Image image_of(const NamedTensor& pixels, std::int64_t sample) {
    const std::int64_t channels = pixels.shape[1], height = pixels.shape[2],
                       width = pixels.shape[3], area = height * width;
    Image image{static_cast<int>(height), static_cast<int>(width), static_cast<int>(channels), {}};
    image.values.resize(static_cast<std::size_t>(area * channels));
    const float* planes = pixels.values.data() + sample * channels * area;
    for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t i = 0; i < area; ++i)
            image.values[i * channels + c] = planes[c * area + i];
    return image;
}

// Side of the square patches whose pixels, of this many channels, make a token; 0: none.
int patch_side(int dim, int channels) {
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(dim) / channels)));
    return std::int64_t{side} * side * channels == dim ? side : 0;
}

PatchPlan plan_patches(const Settings& settings, int dim) {
    if (const auto plan = image_plan(settings, dim)) return *plan;
    const std::string square = (settings.patch ? std::to_string(*settings.patch) : "patch") + "²";
    std::string pixels = "3·" + square + " (rgb) or " + square + " (grey)";
    if (settings.channels) pixels = *settings.channels == 3 ? "3·" + square : square;
    throw WorkError("The patches do not fit the layer: expected a token of " + pixels +
                    " numbers, found that the layer reads " + std::to_string(dim) + ".");
}

// One number for each channel of the image.
std::vector<float> per_channel(const Setting<std::vector<float>>& setting, int channels) {
    const std::vector<float>& numbers = *setting;
    const bool alike =
        std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end();
    if (alike) return std::vector<float>(static_cast<std::size_t>(channels), numbers[0]);
    if (channels == 3) return numbers;
    throw WorkError(setting.origin +
                    ": expected one mean and std for grey pixels, found three that differ.");
}

void expect_memory(std::int64_t batch, std::int64_t queries, std::int64_t keys,
                   const AttentionConfig& config) {
    const double bytes =
        trace_bytes({batch, queries, keys, config.heads, config.head_dim()}, config.dim);
    if (bytes <= kMaxTraceBytes) return;
    constexpr double kGigabyte = 1024.0 * 1024 * 1024;
    throw WorkError("The trace of " + std::to_string(batch) + " × " + std::to_string(queries) +
                    " tokens: expected at most " +
                    std::to_string(std::llround(kMaxTraceBytes / kGigabyte)) + " GB, found " +
                    std::to_string(std::llround(bytes / kGigabyte)) + " GB.");
}

const NamedTensor* find(const TensorMap& input, const std::string& name) {
    const auto found = input.find(name);
    return found == input.end() ? nullptr : &found->second;
}

// mask is [N, M] or [B, N, M], key_padding_mask [B, M].
void check_masks(const TensorMap& input, const std::string& path, std::int64_t b, std::int64_t n,
                 std::int64_t m) {
    using Shape = std::vector<std::int64_t>;
    if (const NamedTensor* mask = find(input, "mask"))
        if (mask->shape != Shape{n, m} && mask->shape != Shape{b, n, m})
            InputTensor{*mask, path, "mask"}.refuse(shape_text({n, m}) + " or " +
                                                    shape_text({b, n, m}));
    if (const NamedTensor* padding = find(input, "key_padding_mask"))
        if (padding->shape != Shape{b, m})
            InputTensor{*padding, path, "key_padding_mask"}.refuse(shape_text({b, m}));
}

// A key is blocked where any of the masks blocks it. Null: nothing is.
std::shared_ptr<const Mask> joined_mask(const TensorMap& input, bool causal, std::int64_t b,
                                        std::int64_t n, std::int64_t m) {
    const NamedTensor* mask = find(input, "mask");
    const NamedTensor* padding = find(input, "key_padding_mask");
    if (!mask && !padding && !causal) return nullptr;
    const bool per_sample = padding || (mask && mask->shape.size() == 3);
    Mask joined{per_sample ? b : 1, n, m, {}};
    joined.blocked.resize(static_cast<std::size_t>(joined.samples * n * m));
    std::size_t at = 0;
    for (std::int64_t sample = 0; sample < joined.samples; ++sample)
        for (std::int64_t query = 0; query < n; ++query)
            for (std::int64_t key = 0; key < m; ++key, ++at)
                joined.blocked[at] = (causal && key > query) ||
                                     (mask && mask->values[at % mask->values.size()] != 0) ||
                                     (padding && padding->values[sample * m + key] != 0);
    return std::make_shared<const Mask>(std::move(joined));
}

// The layer's input from patches: positions added, masks joined.
Prepared with_positions(Matrix patches, std::int64_t batch, const TensorMap& masks,
                        const Settings& settings) {
    Prepared prepared;
    const Index count = patches.rows() / batch;
    prepared.positions = position_table(*settings.positions, count, patches.cols());
    prepared.patches = std::move(patches);
    prepared.layer.batch = batch;
    prepared.layer.tokens = prepared.patches;
    if (prepared.positions.size() != 0)
        for (Index b = 0; b < batch; ++b)
            prepared.layer.tokens.middleRows(b * count, count) += prepared.positions;
    prepared.layer.mask = joined_mask(masks, *settings.causal, batch, count, count);
    return prepared;
}

Prepared prepare_pixels(const TensorMap& input, const std::string& path, const Settings& settings,
                        const AttentionConfig& config) {
    const InputTensor pixels{input.at("pixels"), path, "pixels"};
    const auto& shape = pixels.tensor.shape;
    const PatchPlan plan = plan_patches(settings, config.dim);
    const auto fits = [](std::int64_t n) { return n >= 1 && n <= std::numeric_limits<int>::max(); };
    if (shape.size() != 4 || !std::all_of(shape.begin(), shape.end(), fits) ||
        shape[1] != plan.channels)
        pixels.refuse("[B, " + std::to_string(plan.channels) + ", H, W] for this layer");

    const std::int64_t batch = shape[0];
    const PatchGrid grid =
        make_patch_grid(static_cast<int>(shape[2]), static_cast<int>(shape[3]), plan.patches);
    expect_memory(batch, grid.count(), grid.count(), config);
    check_masks(input, path, batch, grid.count(), grid.count());

    // The pixels are normalised already.
    const std::vector<float> mean(plan.channels, 0.0F), std(plan.channels, 1.0F);
    Matrix patches(batch * grid.count(), config.dim);
    for (std::int64_t b = 0; b < batch; ++b)
        patches.middleRows(b * grid.count(), grid.count()) =
            extract_patches(image_of(pixels.tensor, b), grid, mean, std);
    return with_positions(std::move(patches), batch, input, settings);
}

}  // namespace

std::optional<PatchPlan> image_plan(const Settings& settings, int dim) {
    for (const int channels : {3, 1}) {
        const int side = patch_side(dim, channels);
        if (side == 0 || (settings.channels && *settings.channels != channels)) continue;
        if (settings.patch && *settings.patch != side) continue;
        return PatchPlan{{side, settings.stride.value.value_or(side), *settings.ragged}, channels};
    }
    return {};
}

TensorMap read_input(const std::string& path) {
    TensorMap input = read_safetensors(read_file(path), path);
    const std::string expected =
        path +
        ": expected pixels, or tokens, or query and value, and optionally mask and "
        "key_padding_mask, found ";
    std::string found;
    for (const auto& [name, tensor] : input) {
        if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
            throw WorkError(expected + '"' + name.substr(0, 80) + "\".");
        found += (found.empty() ? "" : ", ") + name;
    }
    const bool cross = input.contains("query") && input.contains("value");
    const bool half = input.contains("query") != input.contains("value");
    const int kinds = static_cast<int>(input.contains("pixels")) +
                      static_cast<int>(input.contains("tokens")) + static_cast<int>(cross);
    if (kinds != 1 || half) throw WorkError(expected + (found.empty() ? "nothing" : found) + ".");
    return input;
}

Scope scope_of(const TensorMap& input) {
    return input.contains("pixels") ? Scope::patches : Scope::layer;
}

Prepared prepare_tensors(const TensorMap& input, const std::string& path, const Settings& settings,
                         const AttentionConfig& config) {
    if (input.contains("pixels")) return prepare_pixels(input, path, settings, config);
    const std::string name = input.contains("tokens") ? "tokens" : "query";
    const InputTensor tokens{input.at(name), path, name};
    Prepared prepared;
    prepared.layer.tokens = token_rows(tokens, config.dim);
    const std::int64_t batch = prepared.layer.batch = tokens.extent(0);
    const std::int64_t queries = tokens.extent(1);
    std::int64_t keys = queries;
    if (name == "query") {
        const InputTensor value{input.at("value"), path, "value"};
        prepared.layer.value_tokens = token_rows(value, config.dim);
        if (value.extent(0) != batch) value.refuse(std::to_string(batch) + " samples, as in query");
        keys = value.extent(1);
    }
    expect_memory(batch, queries, keys, config);
    check_masks(input, path, batch, queries, keys);
    prepared.layer.mask = joined_mask(input, *settings.causal, batch, queries, keys);
    return prepared;
}

Prepared prepare_image(const std::string& path, const Settings& settings,
                       const AttentionConfig& config) {
    const PatchPlan plan = plan_patches(settings, config.dim);
    const auto [height, width] = *settings.image_size;
    Image image =
        frame_image(decode_image(read_file(path), path), height, width, *settings.framing);
    image = plan.channels == 1 ? to_grey(image) : to_rgb(image);
    const PatchGrid grid = make_patch_grid(height, width, plan.patches);
    expect_memory(1, grid.count(), grid.count(), config);
    return with_positions(extract_patches(image, grid, per_channel(settings.mean, plan.channels),
                                          per_channel(settings.std, plan.channels)),
                          1, {}, settings);
}

}  // namespace headlight::cli

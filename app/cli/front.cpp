#include "cli/front.h"

#include <algorithm>
#include <limits>
#include <ostream>
#include <utility>

#include "cli/bare_layer.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/input.h"
#include "kernels/counted.h"
#include "model/map_facts.h"
#include "ops/limits.h"
#include "ops/ops.h"
#include "ops/picture.h"
#include "program/program.h"
#include "scene/scene_file.h"

namespace headlight::cli {

namespace {

[[noreturn]] void refuse_patches(const Model& model, const Recipe& asked) {
    const std::string square =
        (asked.patches.size ? std::to_string(*asked.patches.size) : "patch") + "²";
    std::string pixels = "3·" + square + " (rgb) or " + square + " (gray)";
    if (asked.grey) pixels = *asked.grey ? square : "3·" + square;
    throw WorkError(model.file + ": expected patches of " +
                    std::to_string(model.layers.front().attention.dim) + " numbers, found " +
                    pixels + ". Choose another patch size, or give tokens with --input.");
}

// A bare layer's patch size follows from its token width; other sizes are refused.
PatchSettings patches_for(const Model& model, const Recipe& asked) {
    const int side = model.patch_size;
    if (!model.is_bare_layer()) return {side, side, Ragged::crop};
    const bool grey = model.image_channels == 1;
    if (side == 0 || asked.patches.size.value_or(side) != side || asked.grey.value_or(grey) != grey)
        refuse_patches(model, asked);
    return {side, asked.patches.stride.value_or(side), asked.patches.ragged};
}

// Gray pixels have one mean and one standard deviation.
void expect_grey_numbers(const Model& model) {
    const auto differ = [](const std::array<float, 3>& numbers) {
        return std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) !=
               numbers.end();
    };
    const Preprocessing& how = model.preprocessing;
    if (model.image_channels == 1 && (differ(how.mean) || differ(how.std)))
        throw WorkError(model.file +
                        ": expected the same mean and std for all channels of gray pixels, found "
                        "different ones. Set mean and std in --config.");
}

Trace trace_of_picture(const Source& source) {
    Recipe recipe = source.asked;
    recipe.image = source.image;
    if (source.image.ends_with(".json"))
        recipe.scene = scene_from_json(read_file(source.image).bytes(), source.image);
    if (!source.model->is_maps()) {
        const PatchSettings patches = patches_for(*source.model, recipe);
        recipe.patches = {patches.size, patches.stride, patches.ragged};
        recipe.grey = source.model->image_channels == 1;
        expect_grey_numbers(*source.model);
    }
    const FileReader reader = read_file;
    return front_of_picture(source.model, recipe, {&reader, {}});
}

// [B, C, H, W]; for a whole model, H and W must be multiples of the patch size.
void check_pixels(const InputTensor& pixels, const Model& model, int patch) {
    const auto& shape = pixels.tensor.shape;
    const auto fits = [](std::int64_t n) { return n >= 1 && n <= std::numeric_limits<int>::max(); };
    if (shape.size() != 4 || !std::all_of(shape.begin(), shape.end(), fits) ||
        shape[1] != model.image_channels)
        pixels.refuse("[B, " + std::to_string(model.image_channels) + ", H, W] for " +
                      name_of(model));
    if (model.is_bare_layer() || patch == 0) return;
    if (shape[2] % patch != 0 || shape[3] % patch != 0)
        pixels.refuse("H and W that are multiples of the patch size, " + std::to_string(patch));
}

// In double, because the sizes come from a file and may overflow.
void expect_memory(const Model& model, double batch, const PatchGrid& grid) {
    const double patches = grid.count(), width = model.layers.front().attention.dim;
    refuse_beyond_memory(4 * batch * patches * (patches + 3 * width),
                         "A layer over this many patches", kFewerTokens);
}

// The nodes that cut patches, as if a picture had been framed to exactly these pixels.
Node nodes_of_pixels(const Source& source, const PatchSettings& patches, int height, int width) {
    Recipe recipe = source.asked;
    recipe.patches = {patches.size, patches.stride, patches.ragged};
    recipe.image_height = height;
    recipe.image_width = width;
    return picture_nodes(*source.model, 0, recipe).back();
}

Trace trace_of_pixels(const Source& source) {
    const Model& model = *source.model;
    Trace trace;
    trace.model = source.model;
    const InputTensor pixels{source.input.at("pixels"), source.input_path, "pixels"};
    const PatchSettings patches = patches_for(model, source.asked);
    check_pixels(pixels, model, patches.size);
    const auto extent = [&](std::size_t axis) { return static_cast<int>(pixels.extent(axis)); };
    trace.shape.batch = extent(0);
    trace.grid = make_grid(model, extent(2), extent(3), patches);
    expect_memory(model, extent(0), trace.grid);
    trace.nodes = {nodes_of_pixels(source, patches, extent(2), extent(3))};
    set_patches(trace, extract_patches(pixels.tensor.values, extent(0), extent(1), trace.grid));
    return trace;
}

// Given input of the first layer; for CLIP, after its first norm.
Trace trace_of_tokens(const Source& source) {
    const Model& model = *source.model;
    const InputTensor tokens{source.input.at("tokens"), source.input_path, "tokens"};
    const Layer& first = model.layers[static_cast<std::size_t>(model.token_transformers())];
    if (first.window.exists())
        tokens.refuse("pixels for " + model.title + ", whose windows need a grid of patches",
                      "tokens");
    Matrix rows = token_rows(tokens, first.attention.dim, model);
    const Index prefix = model.prefix.count();
    if (tokens.extent(1) <= prefix)
        tokens.refuse("more than " + counted(prefix, "token") + ", because this model has " +
                      std::to_string(prefix) + " before the patches");
    if (source.grid.count() != 0 && prefix > 0)
        tokens.refuse("[B, N, D] for this model, including " + counted(prefix, "token") +
                          " before the patches",
                      "a feature map");
    return trace_of_rows(source, tokens.extent(0), std::move(rows),
                         model.pre_norm.exists() ? Tensor::pre_norm : Tensor::tokens);
}

// A whole model only accepts its own number of tokens.
void expect_own_tokens(const Source& source) {
    for (const char* name : {"query", "key", "value", "mask", "key_padding_mask"})
        if (source.input.contains(name))
            throw WorkError(source.input_path +
                            ": expected pixels or tokens for a whole model, found \"" + name +
                            "\".");
}

}  // namespace

Trace trace_of_patches(const Source& source) {
    if (!source.image.empty()) return trace_of_picture(source);
    if (source.input.contains("pixels")) return trace_of_pixels(source);
    Trace trace;
    trace.model = source.model;
    return trace;
}

Trace trace_of_rows(const Source& source, Index batch, Matrix rows, Tensor to) {
    Trace trace;
    trace.model = source.model;
    trace.shape.batch = batch;
    trace.grid = source.grid;
    if (source.grid.count() == 0) {
        trace.grid.rows = 1;
        trace.grid.cols = static_cast<int>(rows.rows() / batch - source.model->prefix.count());
    }
    trace.set(to, make_result(std::move(rows)));
    return trace;
}

Beginning beginning_of(const Source& source) {
    const Model& model = *source.model;
    if (model.is_bare_layer()) return begin_bare_layers(source);
    expect_own_tokens(source);
    return {source.input.contains("tokens") ? trace_of_tokens(source) : trace_of_patches(source),
            counterfactual_of(source.asked, model)};
}

void say_layout(const Trace& front, std::ostream& out) {
    if (!front.model->is_maps() || !front.source) return;
    const std::string choice =
        layout_choice(*front.model, {front.source->height, front.source->width});
    if (!choice.empty()) out << "headlight: " << one_line(choice) << '\n';
}

}  // namespace headlight::cli

#include "cli/front.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>
#include <utility>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/input.h"
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
    std::string pixels = "3·" + square + " (rgb) or " + square + " (grey)";
    if (asked.grey) pixels = *asked.grey ? square : "3·" + square;
    throw WorkError("The patches do not fit the layer: expected a token of " + pixels +
                    " numbers, found that the layer reads " +
                    std::to_string(model.layers.front().attention.dim) + ".");
}

// A bare layer's patches follow from the width of its tokens; asking for others cannot be done.
PatchSettings patches_for(const Model& model, const Recipe& asked) {
    const int side = model.patch_size;
    if (!model.is_bare_layer()) return {side, side, Ragged::crop};
    const bool grey = model.image_channels == 1;
    if (side == 0 || asked.patches.size.value_or(side) != side || asked.grey.value_or(grey) != grey)
        refuse_patches(model, asked);
    return {side, asked.patches.stride.value_or(side), asked.patches.ragged};
}

// Grey pixels have one mean and one deviation.
void expect_grey_numbers(const Model& model) {
    const auto differ = [](const std::array<float, 3>& numbers) {
        return std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) !=
               numbers.end();
    };
    const Preprocessing& how = model.preprocessing;
    if (model.image_channels == 1 && (differ(how.mean) || differ(how.std)))
        throw WorkError(model.file +
                        ": expected one mean and std for gray pixels, found three different ones.");
}

void add_picture(const Source& source, Trace& trace) {
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
    trace.nodes = picture_nodes(*source.model, 0, recipe);
    compute_all(trace.nodes, trace, {&reader, {}});
}

// [B, C, H, W]; of a whole model, H and W hold whole patches.
void check_pixels(const InputTensor& pixels, const Model& model, int patch) {
    const auto& shape = pixels.tensor.shape;
    const auto fits = [](std::int64_t n) { return n >= 1 && n <= std::numeric_limits<int>::max(); };
    if (shape.size() != 4 || !std::all_of(shape.begin(), shape.end(), fits) ||
        shape[1] != model.image_channels)
        pixels.refuse("[B, " + std::to_string(model.image_channels) + ", H, W] for " +
                      name_of(model));
    if (model.is_bare_layer() || patch == 0) return;
    if (shape[2] % patch != 0 || shape[3] % patch != 0)
        pixels.refuse("H and W to be multiples of the patch, " + std::to_string(patch));
}

// In double, for the extents come from a file.
void expect_memory(const Model& model, double batch, const PatchGrid& grid) {
    const double patches = grid.count(), width = model.layers.front().attention.dim;
    refuse_beyond_memory(4 * batch * patches * (patches + 3 * width),
                         "A layer over this many patches", kFewerTokens);
}

// What cuts the patches, as if a picture had been framed to just these pixels.
Node nodes_of_pixels(const Source& source, const PatchSettings& patches, int height, int width) {
    Recipe recipe = source.asked;
    recipe.patches = {patches.size, patches.stride, patches.ragged};
    recipe.image_height = height;
    recipe.image_width = width;
    return picture_nodes(*source.model, 0, recipe).back();
}

void add_pixels(const Source& source, Trace& trace) {
    const Model& model = *source.model;
    const InputTensor pixels{source.input.at("pixels"), source.input_path, "pixels"};
    const PatchSettings patches = patches_for(model, source.asked);
    check_pixels(pixels, model, patches.size);
    const auto extent = [&](std::size_t axis) { return static_cast<int>(pixels.extent(axis)); };
    trace.shape.batch = extent(0);
    trace.grid = make_grid(model, extent(2), extent(3), patches);
    expect_memory(model, extent(0), trace.grid);
    trace.nodes = {nodes_of_pixels(source, patches, extent(2), extent(3))};
    set_patches(trace, extract_patches(pixels.tensor.values, extent(0), extent(1), trace.grid));
}

}  // namespace

Trace trace_of_patches(const Source& source) {
    Trace trace;
    trace.model = source.model;
    if (!source.image.empty()) add_picture(source, trace);
    if (source.input.contains("pixels")) add_pixels(source, trace);
    return trace;
}

void say_layout(const Trace& front, std::ostream& out) {
    if (!front.model->is_maps() || !front.source) return;
    const std::string choice =
        layout_choice(*front.model, {front.source->height, front.source->width});
    if (!choice.empty()) out << "headlight: " << one_line(choice) << '\n';
}

}  // namespace headlight::cli

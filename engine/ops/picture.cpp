#include "ops/picture.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/recycle.h"
#include "ops/limits.h"
#include "ops/table.h"
#include "patches/map_layout.h"
#include "patches/soft_split.h"
#include "scene/render.h"

namespace headlight {

namespace {

// [H, W·channels]: channel planes side by side.
Matrix planes_of(const Image& image) {
    Matrix planes(image.height, static_cast<Index>(image.width) * image.channels);
    for (int y = 0; y < image.height; ++y)
        for (int c = 0; c < image.channels; ++c)
            for (int x = 0; x < image.width; ++x)
                planes(y, c * image.width + x) = image.at(y, x, c);
    return planes;
}

// In double, because the sizes come from the user and the products may overflow.
void refuse_too_many(double patches, double width, bool squares) {
    refuse_beyond_memory(4 * patches * ((squares ? 3 : 1) * patches + 3 * width),
                         "A layer over this many patches", kFewerTokens);
}

// For attention-only import: the image size is chosen to fit the most likely grid.
constexpr int kMapCell = 16;  // pixels along one side of a patch; the value is arbitrary

void frame_for_maps(const Model& model, const Image& source, Preprocessing& how) {
    const Index tokens = model.maps.front()->view().cols;
    const PictureSize picture{source.height, source.width};
    const std::vector<MapLayout> fitting = map_layouts(tokens, model.map_layout, picture);
    if (fitting.empty()) {
        const auto& before = model.map_layout.before;
        throw PatchError(
            model.file + ": expected a grid of patches that fits a picture of " +
            std::to_string(source.height) + " × " + std::to_string(source.width) +
            " pixels, found none for " + std::to_string(tokens) + " tokens, " +
            (before ? std::to_string(*before) : "0 to " + std::to_string(kMostTokensBefore)) +
            " of them before the patches. Set grid (such as 15x20) or tokens_before in a "
            "config.json next to the file, in a script, or with --grid.");
    }
    how.height = fitting.front().grid.rows * kMapCell;
    how.width = fitting.front().grid.cols * kMapCell;
}

// For attention-only import: number of tokens before the patches; without a picture, no token has a
// place.
Index tokens_before(const Model& model, const PatchGrid& grid) {
    const Index tokens = model.maps.front()->view().cols;
    if (grid.count() > 0) return tokens - grid.count();
    const std::vector<MapLayout> fitting = map_layouts(tokens, model.map_layout, {});
    return fitting.empty() ? 0 : fitting.front().before;
}

// Models that average the patches instead of using a class token have 4, 8 or 16 registers (timm's
// reg4_gap). No known model has a class token and 3, 7 or 15 registers.
bool registers_alone(Index before) { return before == 4 || before == 8 || before == 16; }

// Draws the scene at the size of the model's input, so that no pixel is interpolated. If the input
// is not square, the scene is resized and cropped like any picture.
std::shared_ptr<const Image> draw(const ShapeScene& scene, Preprocessing& how) {
    how.resize.reset();
    how.keeps_size = false;
    const int size = std::clamp(std::min(how.height, how.width), kSceneSize / 2, 16 * kSceneSize);
    return std::make_shared<const Image>(to_image(draw_scene(scene, size)));
}

// The source picture: the file as decoded, or the scene as drawn.
std::shared_ptr<const Image> source_of(const FrameParameters& wanted, const Trace& trace,
                                       const Tools& tools, Preprocessing& how) {
    if (wanted.scene) return draw(*wanted.scene, how);
    // A scene has no file.
    const bool decoded = !trace.source_file.empty() && trace.source_file == wanted.image;
    if (decoded && trace.source->alpha.value_or(how.alpha) == how.alpha) return trace.source;
    const FileBytes bytes = (*tools.read_file)(wanted.image).bytes();
    return std::make_shared<const Image>(decode_image(bytes, wanted.image, kMaxPixels, how.alpha));
}

void take_pixel(Arithmetic& a, const Trace& trace) {
    const int size = grid_of_patches(trace).settings.size;
    const auto feature = static_cast<int>(a.col);
    const auto channel = static_cast<std::size_t>(feature / (size * size));
    const PixelRect rect = grid_of_patches(trace).rect(static_cast<int>(a.row));
    const int y = rect.row + feature % (size * size) / size;
    const int x = rect.col + feature % size;
    a.padding = y < 0 || x < 0 || y >= trace.image->height || x >= trace.image->width;
    if (a.padding) return;
    const float pixel = trace.image->at(y, x, static_cast<int>(channel));
    a.terms.push_back({pixel, 0, pixel});
    a.sum = pixel;
    a.recomputed = (static_cast<double>(pixel) - trace.mean[channel]) / trace.std[channel];
}

// For a soft split of tokens: explains a cell, which is one channel of one token of the finer grid.
void take_split(Arithmetic& a, const Trace& trace) {
    const int level = trace.model->level_of(trace.layer);
    const SoftSplit& split = trace.model->splits[static_cast<std::size_t>(level)];
    const Index area = static_cast<Index>(split.kernel) * split.kernel;
    const Index within = a.col % area;
    const Index y = a.row / trace.grid.cols * split.stride - split.padding + within / split.kernel;
    const Index x = a.row % trace.grid.cols * split.stride - split.padding + within % split.kernel;
    const auto [rows, cols] = trace.split_grid;
    a.padding = y < 0 || x < 0 || y >= rows || x >= cols;
    if (!a.padding) ops::take(a, trace.view(a.left)(y * cols + x, a.col / area));
}

// The token of the finer grid that is part 0 to 3 of a merged 2 × 2 block. Column by column: (row,
// column) = (0, 0), (1, 0), (0, 1), (1, 1).
Index merged_from(const PatchGrid& grid, Index token, Index part) {
    const Index row = 2 * (token / grid.cols) + part % 2, col = 2 * (token % grid.cols) + part / 2;
    return row * 2 * grid.cols + col;
}

void compute_merge_gather(const Node& node, Trace& trace) {
    const MatrixView finer = trace.all(node.operands[0]);
    const PatchGrid& grid = trace.grid;
    const Index tokens = grid.count(), batch = trace.shape.batch, width = finer.cols;
    Matrix gathered = new_matrix(batch * tokens, 4 * width);
    for (Index row = 0; row < gathered.rows(); ++row)
        for (Index part = 0; part < 4; ++part)
            gathered.block(row, part * width, 1, width) = finer.eigen().row(
                row / tokens * 4 * tokens + merged_from(grid, row % tokens, part));
    trace.set(node.result(), make_result(std::move(gathered)));
}

void take_merged(Arithmetic& a, const Trace& trace) {
    const MatrixView finer = trace.view(a.left);
    ops::take(a, finer(merged_from(trace.grid, a.row, a.col / finer.cols), a.col % finer.cols));
}

PatchGrid merged_grid(const Model& model, const PatchGrid& patches, int level) {
    PatchSettings settings = patches.settings;
    settings.size = settings.stride = model.patch_size << level;
    return make_patch_grid(patches.image_height, patches.image_width, settings);
}

// Checks sizes that the user chose. The model's own size may leave a remainder, which its code cuts
// off (SigLIP's 384 pixels in patches of 14).
void expect_whole_patches(const Model& model, int height, int width) {
    const int patch = model.patch_size;
    const Preprocessing& own = model.preprocessing;
    const bool is_own = height == own.height && width == own.width;
    if (patch < 1 || is_own || (height % patch == 0 && width % patch == 0)) return;
    throw PatchError(model.file + ": image_size: " + whole_patches_text(height, width, patch) +
                     ".");
}

void expect_whole_windows(const Model& model, int height, int width) {
    const int unit = picture_unit(model);
    if (height % unit == 0 && width % unit == 0) return;
    const std::string pixels = std::to_string(unit);
    throw PatchError(
        model.file + ": expected a picture whose height and width are multiples of " + pixels +
        " pixels, so that every layer's tokens fill its windows, found " + std::to_string(height) +
        " × " + std::to_string(width) +
        ". For other sizes the model's own code adds empty tokens, but Headlight does not.");
}

}  // namespace

PatchGrid grid_of_level(const Model& model, const PatchGrid& patches, int level) {
    if (model.splits.empty())
        return model.has_merges() ? merged_grid(model, patches, level) : patches;
    PatchGrid grid = make_patch_grid(patches.image_height, patches.image_width, {1, 1});
    for (int i = 0; i <= level; ++i) {
        const SoftSplit& split = model.splits[static_cast<std::size_t>(i)];
        grid = soft_split_grid(grid, split.kernel, split.stride, split.padding);
    }
    return grid;
}

PatchGrid grid_of_layer(const Model& model, const PatchGrid& grid, int b) {
    return grid_of_level(model, grid, model.level_of(b));
}

PatchGrid grid_of_front(const Model& model, const PatchGrid& grid) {
    return grid_of_layer(model, grid, model.token_transformers());
}

PatchGrid grid_of_patches(const Trace& trace) {
    const bool merged = trace.model && trace.model->has_merges();
    return merged ? grid_of_level(*trace.model, trace.grid, 0) : trace.grid;
}

PatchGrid make_grid(const Model& model, int image_height, int image_width,
                    const PatchSettings& settings) {
    expect_whole_windows(model, image_height, image_width);
    if (!model.is_bare_layer() && !model.is_maps())
        expect_whole_patches(model, image_height, image_width);
    if (model.splits.empty()) return make_patch_grid(image_height, image_width, settings);
    PatchGrid pixels;
    pixels.image_height = image_height;
    pixels.image_width = image_width;
    return grid_of_level(model, pixels, 0);
}

void set_patches(Trace& trace, Matrix patches) {
    const SharedResult result = make_result(std::move(patches));
    if (!trace.model->splits.empty()) trace.splits = {result};
    trace.set(Tensor::patches, result);
}

void compute_split(Trace& trace, int level) {
    const SoftSplit& split = trace.model->splits[static_cast<std::size_t>(level)];
    const PatchGrid from = grid_of_level(*trace.model, trace.grid, level - 1);
    const MatrixView tokens = trace.split_inputs[static_cast<std::size_t>(level) - 1]->view();
    Matrix all;
    for (Index b = 0; b < trace.shape.batch; ++b) {
        const Matrix part =
            soft_split(tokens.block(b * from.count(), 0, from.count(), tokens.cols), from.rows,
                       from.cols, split.kernel, split.stride, split.padding);
        if (b == 0) all = new_matrix(trace.shape.batch * part.rows(), part.cols());
        all.middleRows(b * part.rows(), part.rows()) = part;
    }
    trace.splits.resize(static_cast<std::size_t>(level) + 1);
    trace.splits.back() = make_result(std::move(all));
    trace.set(Tensor::patches, trace.splits.back());
}

TokenLayout layout_of(const Model& model, int layer, const PatchGrid& grid) {
    TokenLayout layout;
    layout.patches = grid.count();
    if (layer < model.token_transformers() || model.is_bare_layer()) return layout;
    if (model.is_maps()) {
        const Index before = tokens_before(model, grid);
        layout.class_tokens = before > 0 && !registers_alone(before) ? 1 : 0;
        layout.registers = before - layout.class_tokens;
        return layout;
    }
    layout.class_tokens = model.prefix.class_token ? 1 : 0;
    layout.distillation_tokens = model.prefix.distillation_token ? 1 : 0;
    layout.registers = model.prefix.registers ? model.prefix.registers->view().rows : 0;
    return layout;
}

namespace ops {

void compute_frame(const Node& node, Trace& trace, const Tools& tools) {
    const auto& wanted = node.get<FrameParameters>();
    Preprocessing how = wanted.how;
    trace.source = source_of(wanted, trace, tools, how);
    trace.source_file = wanted.scene ? "" : wanted.image;
    if (trace.model->is_maps()) frame_for_maps(*trace.model, *trace.source, how);
    how = framed_for(trace.source->height, trace.source->width, how);
    Image framed = preprocess(*trace.source, how);
    framed = wanted.grey ? to_grey(framed) : to_rgb(framed);
    trace.preprocessing = how;
    trace.set(node.result(), make_result(planes_of(framed)));
    trace.image = std::make_shared<const Image>(std::move(framed));
}

// Cuts patches, or the first soft split of T2T; with Swin, merges 2 × 2 tokens. For attention-only
// import it only sets the grid.
void compute_gather(const Node& node, Trace& trace, const Tools&) {
    if (node.id == Step::merge_gather) return compute_merge_gather(node, trace);
    const auto& [settings, mean, std] = node.get<PatchParameters>();
    const Image& image = *trace.image;
    const Model& model = *trace.model;
    trace.shape = {};
    trace.token_names.reset();
    trace.preprocessing.mean = mean;
    trace.preprocessing.std = std;
    trace.mean.assign(mean.begin(), mean.begin() + image.channels);
    trace.std.assign(std.begin(), std.begin() + image.channels);
    if (model.is_maps()) {
        trace.grid = make_patch_grid(image.height, image.width, {kMapCell, kMapCell, Ragged::crop});
        return;
    }
    trace.grid = make_grid(model, image.height, image.width, settings);
    const double side = trace.grid.settings.size;
    refuse_too_many(trace.grid.count(), side * side * image.channels, model.is_bare_layer());
    set_patches(trace, extract_patches(image, trace.grid, trace.mean, trace.std));
}

void explain_frame(Arithmetic& a, const Node&, const Trace&, Index) { take(a, a.shown); }

void explain_gather(Arithmetic& a, const Node&, const Trace& trace, Index) {
    if (a.left == Tensor::split_input)
        take_split(a, trace);
    else if (a.left == Tensor::merge_input)
        take_merged(a, trace);
    else
        take_pixel(a, trace);
}

}  // namespace ops

}  // namespace headlight

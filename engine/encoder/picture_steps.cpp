#include "encoder/picture_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "encoder/limits.h"
#include "encoder/model_steps.h"
#include "scene/render.h"

namespace headlight {

namespace {

// Channel planes side by side, as they are shown.
Matrix planes_of(const Image& image) {
    Matrix planes(image.height, static_cast<Index>(image.width) * image.channels);
    for (int y = 0; y < image.height; ++y)
        for (int c = 0; c < image.channels; ++c)
            for (int x = 0; x < image.width; ++x)
                planes(y, c * image.width + x) = image.at(y, x, c);
    return planes;
}

// Each pixel a token of its normalised channels: what T2T's first soft split reads.
Matrix pixel_tokens(const Image& image, const std::vector<float>& mean,
                    const std::vector<float>& std) {
    const Index pixels = static_cast<Index>(image.height) * image.width;
    Matrix tokens = Eigen::Map<const Matrix>(image.values.data(), pixels, image.channels);
    for (Index c = 0; c < image.channels; ++c) {
        const auto i = static_cast<std::size_t>(c);
        tokens.col(c) = (tokens.col(c).array() - mean[i]) / std[i];
    }
    return tokens;
}

// In double, for the sizes come from the user.
void refuse_too_many(double patches, double width, bool squares) {
    refuse_beyond_memory(4 * patches * ((squares ? 3 : 1) * patches + 3 * width),
                         "A layer over this many patches", kFewerTokens);
}

// Attention-only import: of all grids of as many patches as the maps have, the one whose aspect is
// nearest to the picture's. The frame is made to fit it.
constexpr int kMapCell = 16;  // pixels along one side of a patch; any number would do

void frame_for_maps(const Model& model, const Image& source, Preprocessing& how) {
    const Index patches = model.maps.front()->view().cols - model.map_prefix;
    const double aspect = static_cast<double>(source.height) / source.width;
    Index best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (Index rows = 1; rows <= patches; ++rows) {
        if (patches % rows != 0) continue;
        const Index cols = patches / rows;
        const double off =
            std::abs(std::log(static_cast<double>(rows) / static_cast<double>(cols) / aspect));
        if (off < least) best = rows, least = off;
    }
    how.height = static_cast<int>(best) * kMapCell;
    how.width = static_cast<int>(patches / best) * kMapCell;
}

// As large as the model reads it, so that no pixel is made out of others. In a frame that is not
// square a scene is framed as any picture is.
std::shared_ptr<const Image> draw(const ShapeScene& scene, Preprocessing& how) {
    how.resize.reset();
    const int size = std::clamp(std::min(how.height, how.width), kSceneSize / 2, 16 * kSceneSize);
    return std::make_shared<const Image>(to_image(draw_scene(scene, size)));
}

}  // namespace

void frame_picture(Trace& trace, const Recipe& recipe, const FileReader& read_file, bool decode) {
    trace.preprocessing = preprocessing_of(recipe, *trace.model);
    if (recipe.scene) {
        trace.source = draw(*recipe.scene, trace.preprocessing);
    } else if (decode || !trace.source) {
        const FileBytes bytes = read_file(recipe.image).bytes();
        trace.source = std::make_shared<const Image>(decode_image(bytes, recipe.image));
    }
    if (trace.model->is_maps()) frame_for_maps(*trace.model, *trace.source, trace.preprocessing);
    Image framed = preprocess(*trace.source, trace.preprocessing);
    framed = is_grey(recipe, *trace.model) ? to_grey(framed) : to_rgb(framed);
    trace.set(Tensor::pixels, make_result(planes_of(framed)));
    trace.image = std::make_shared<const Image>(std::move(framed));
}

void cut_patches(Trace& trace, const Recipe& recipe) {
    const Image& image = *trace.image;
    const Model& model = *trace.model;
    trace.shape = {};
    const Preprocessing wanted = preprocessing_of(recipe, model);  // mean and std may be new
    trace.preprocessing.mean = wanted.mean;
    trace.preprocessing.std = wanted.std;
    const auto& mean = trace.preprocessing.mean;
    const auto& std = trace.preprocessing.std;
    trace.mean.assign(mean.begin(), mean.begin() + image.channels);
    trace.std.assign(std.begin(), std.begin() + image.channels);
    if (model.is_maps()) {
        trace.grid = make_patch_grid(image.height, image.width, {kMapCell, kMapCell, Ragged::crop});
        return;
    }
    if (!model.splits.empty()) {
        trace.grid.image_height = image.height;
        trace.grid.image_width = image.width;
        trace.grid = grid_of_level(model, trace.grid, 0);
        refuse_too_many(trace.grid.count(), 49.0 * image.channels, false);
        compute_split(trace, 0, {pixel_tokens(image, trace.mean, trace.std)});
        trace.set(Tensor::patches, trace.splits.front());
        return;
    }
    const PatchSettings settings = patches_of(recipe, model);
    trace.grid = make_patch_grid(image.height, image.width, settings);
    refuse_too_many(trace.grid.count(),
                    static_cast<double>(settings.size) * settings.size * image.channels,
                    model.is_bare_layer());
    trace.set(Tensor::patches,
              make_result(extract_patches(image, trace.grid, trace.mean, trace.std)));
}

}  // namespace headlight

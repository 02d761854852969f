#include "cli/features.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <span>

#include "analysis/error.h"
#include "analysis/foreground.h"
#include "analysis/principal.h"
#include "analysis/similarity.h"
#include "cli/audience.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/json.h"
#include "cli/region_option.h"
#include "disk/files.h"
#include "encoder/features.h"
#include "program/ordinals.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

// For each image, in order.
struct FeaturesFound {
    std::vector<std::string> images;
    std::vector<PatchGrid> grids;
    std::vector<Matrix> rows;
    std::vector<std::vector<Index>> inside;  // the region's patches of each; none without a region
};

// Throws if the features of an image do not fit, before others are computed.
using CheckFeatures = std::function<void(const std::string& image, const PatchFeatures& found)>;

FeaturesFound features_of_images(const FeaturesOptions& options, const Audience& audience,
                                 const std::vector<std::string>& images, UnreadImages& unread,
                                 const CheckFeatures& check = {}) {
    SourceOptions first = options.source;
    first.image = images.front();
    Source source = read_source(first, audience.warnings, audience.stop);
    const std::optional<int> layer = layer_of_features(options.layer, *source.model);
    FeaturesFound found;
    for (std::size_t i = 0; i < images.size(); ++i) {
        audience.progress(nth_image(i, images.size()));
        source.image = images[i];
        std::optional<Beginning> beginning = unread.begin(source);
        if (!beginning) continue;
        auto& [front, change] = *beginning;
        Region region;
        if (!options.region.empty())
            region = region_in_mask(mask_of(options.region, images[i]), front);
        PatchFeatures of_image = patch_features(std::move(front), change, layer, audience.stop);
        if (check) check(images[i], of_image);
        found.images.push_back(images[i]);
        found.grids.push_back(of_image.grid);
        if (!options.region.empty()) {
            const auto patches = region_on(region, of_image.grid.rows, of_image.grid.cols).patches;
            found.inside.emplace_back(patches.begin(), patches.end());
        }
        found.rows.push_back(std::move(of_image.rows));
    }
    unread.expect_some();
    return found;
}

void write_array(const std::string& out, const std::vector<std::int64_t>& shape,
                 std::span<const Matrix> parts) {
    const auto file = begin_npy(out, "<f4", shape);
    for (const Matrix& part : parts)
        file->write(std::as_bytes(std::span(part.data(), static_cast<std::size_t>(part.size()))));
    file->finish();
}

Json described(const FeaturesOptions& options, const std::vector<std::int64_t>& shape) {
    Json json{{"made_by", "Headlight " HEADLIGHT_VERSION},
              {"layer", options.layer},
              {"file", options.out},
              {"shape", shape}};
    json.update(json_of(options.source));
    return json;
}

Json grid_of(const FeaturesFound& found, std::size_t i) {
    return {
        {"file", found.images[i]}, {"rows", found.grids[i].rows}, {"columns", found.grids[i].cols}};
}

// patches: over all images.
void expect_components(int asked, const Matrix& features, Index patches) {
    const Index width = features.cols();
    if (patches < 2)
        throw WorkError("Principal components need at least two patches, found " +
                        std::to_string(patches) + ".");
    if (asked > std::min(width, patches - 1))
        throw UsageError("--components: expected at most " +
                         (width < patches ? std::to_string(width) + ", the width of the features"
                                          : std::to_string(patches - 1) +
                                                ", one less than the number of patches") +
                         ", found " + std::to_string(asked) + ".");
}

// Names the model in errors of an analysis.
auto of_model(const FeaturesOptions& options, const auto& analyze) {
    try {
        return analyze();
    } catch (const AnalysisError& error) {
        throw WorkError(options.source.model + ": " + error.what());
    }
}

PrincipalComponents components_of(const std::vector<Matrix>& rows, Index count,
                                  const FeaturesOptions& options) {
    return of_model(options, [&] { return principal_components(rows, count); });
}

std::optional<Foreground> foreground_of(const FeaturesOptions& options) {
    if (options.foreground.empty()) return {};
    const auto foreground = foreground_from_text(options.foreground);
    if (!foreground)
        throw UsageError(
            "--foreground: expected above:NUMBER or below:NUMBER, from 0 to 1, found " +
            in_quotes(options.foreground) + ".");
    return foreground;
}

struct Projected {
    std::vector<Matrix> images;  // [patches, components]
    PrincipalComponents components;
    std::vector<std::size_t> inside;  // foreground patches of each image; empty: all count
};

Projected project(const FeaturesFound& found, const FeaturesOptions& options) {
    const Index count = options.components;
    const auto foreground = foreground_of(options);
    Projected made;
    if (!foreground && found.inside.empty()) {
        made.components = components_of(found.rows, count, options);
        for (const Matrix& rows : found.rows)
            made.images.push_back(made.components.project(MatrixView(rows)));
        return made;
    }
    const auto inside =
        foreground ? of_model(options, [&] { return foreground_rows(*foreground, found.rows); })
                   : found.inside;
    std::vector<Matrix> parts;
    Index patches = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        parts.emplace_back(found.rows[i](inside[i], Eigen::all));
        made.inside.push_back(inside[i].size());
        patches += parts.back().rows();
    }
    if (patches <= count)
        throw WorkError(
            (foreground ? "--foreground " + options.foreground : "--region " + options.region) +
            ": expected more than " + std::to_string(count) + " patches in the foreground, found " +
            std::to_string(patches) +
            (foreground ? ". Choose another number." : ". Give a mask with a larger region."));
    made.components = components_of(parts, count, options);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        Matrix& image = made.images.emplace_back(
            Matrix::Constant(found.rows[i].rows(), count, std::numeric_limits<float>::quiet_NaN()));
        if (!inside[i].empty())
            image(inside[i], Eigen::all) = made.components.project(MatrixView(parts[i]));
    }
    return made;
}

}  // namespace

std::optional<int> layer_of_features(const std::string& text, const Model& model) {
    if (text == "last") return {};
    return or_usage_error([&] { return parse_layer("--layer", text, model); });
}

void write_pca(const FeaturesOptions& options, const Audience& audience) {
    (void)foreground_of(options);  // before anything is computed
    if (!options.foreground.empty() && !options.region.empty())
        throw UsageError("--region cannot be used with --foreground. Choose one of them.");
    const std::vector<std::string> images = all_images(options.images);
    expect_own_output(options.out, options.source, images);
    expect_another_file(options.out, "--region", options.region);
    const std::string list = images.size() > 1 ? list_beside(options.out) : "";
    if (!list.empty())
        for (const std::string& image : images) expect_another_file(list, "--image", image);
    PatchGrid grid;
    std::string first;
    UnreadImages unread(audience.warnings, images.size());
    const std::size_t count = images.size();
    const auto check = [&](const std::string& image, const PatchFeatures& of_image) {
        if (grid.count() == 0) {
            grid = of_image.grid;
            first = image;
        }
        expect_components(options.components, of_image.rows,
                          of_image.rows.rows() * static_cast<Index>(count));
        if (of_image.grid.rows == grid.rows && of_image.grid.cols == grid.cols) return;
        throw WorkError(
            image + ": expected a grid of " + std::to_string(grid.rows) + " × " +
            std::to_string(grid.cols) + " patches, as for " + first + ", found " +
            std::to_string(of_image.grid.rows) + " × " + std::to_string(of_image.grid.cols) +
            ". Give all images one size, for example with --attention '{\"image_size\": 224}'.");
    };
    const FeaturesFound found = features_of_images(options, audience, images, unread, check);
    const Projected projected = project(found, options);
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(found.images.size()), grid.rows,
                                          grid.cols, options.components};
    std::string names;
    for (const std::string& image : found.images) names += image + '\n';
    if (!list.empty()) write_file(list, names);
    write_array(options.out, shape, projected.images);
    if (!options.json) return unread.say();
    Json json = described(options, shape);
    if (!options.region.empty()) json["region"] = options.region;
    json["failed"] = json_of(unread);
    for (const float share : projected.components.shares) json["variance"].push_back(share);
    for (std::size_t i = 0; i < found.images.size(); ++i) {
        json["images"].push_back(grid_of(found, i));
        if (!projected.inside.empty()) json["images"].back()["foreground"] = projected.inside[i];
    }
    audience.out << printed(json) << '\n';
    unread.say();
}

void write_matches(const FeaturesOptions& options, const Audience& audience) {
    const std::vector<std::string> images = all_images(options.images);
    UnreadImages unread(audience.warnings, 1);  // both images are needed
    if (images.size() != 2)
        throw UsageError("--image: expected two images, found " + std::to_string(images.size()) +
                         ".");
    expect_own_output(options.out, options.source, images);
    const FeaturesFound found = features_of_images(options, audience, images, unread);
    const Matrix cosines = cosines_between(found.rows[0], found.rows[1]);
    say_not_finite({cosines.data(), static_cast<std::size_t>(cosines.size())}, options.source.model,
                   audience.warnings);
    const std::vector<std::int64_t> shape{cosines.rows(), cosines.cols()};
    write_array(options.out, shape, std::span(&cosines, 1));
    if (!options.json) return;
    Json json = described(options, shape);
    json["images"] = {grid_of(found, 0), grid_of(found, 1)};
    json["mutual_nearest"] = Json::array();
    for (const PatchPair& pair : mutual_nearest(cosines))
        json["mutual_nearest"].push_back({pair.a, pair.b, pair.cosine});
    audience.out << printed(json) << '\n';
}

}  // namespace headlight::cli

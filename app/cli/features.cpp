#include "cli/features.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>

#include "analysis/error.h"
#include "analysis/principal.h"
#include "analysis/similarity.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/json.h"
#include "cli/not_finite.h"
#include "disk/files.h"
#include "encoder/features.h"
#include "program/ordinals.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

// Of each image, in their order.
struct FeaturesFound {
    std::vector<std::string> images;
    std::vector<PatchGrid> grids;
    std::vector<Matrix> rows;
};

// Throws where those of an image do not fit, before others are computed.
using CheckFeatures = std::function<void(const std::string& image, const PatchFeatures& found)>;

FeaturesFound features_of_images(const FeaturesOptions& options, const FeaturesAudience& audience,
                                 const std::vector<std::string>& images, UnreadImages& unread,
                                 const CheckFeatures& check = {}) {
    SourceOptions first = options.source;
    first.image = images.front();
    Source source = read_source(first, audience.warnings, audience.stop);
    const std::optional<int> layer = layer_of_features(options.layer, *source.model);
    FeaturesFound found;
    for (std::size_t i = 0; i < images.size(); ++i) {
        audience.progress("image " + std::to_string(i + 1) + " of " +
                          std::to_string(images.size()));
        source.image = images[i];
        std::optional<Beginning> beginning = unread.begin(source);
        if (!beginning) continue;
        auto& [front, change] = *beginning;
        PatchFeatures of_image = patch_features(std::move(front), change, layer, audience.stop);
        if (check) check(images[i], of_image);
        found.images.push_back(images[i]);
        found.grids.push_back(of_image.grid);
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

void expect_free_output(const FeaturesOptions& options, const std::vector<std::string>& images) {
    expect_own_output(options.out, options.source);
    for (const std::string& image : images) expect_another_file(options.out, "--image", image);
}

Json described(const FeaturesOptions& options, const std::vector<std::int64_t>& shape) {
    return {{"made_by", "Headlight " HEADLIGHT_VERSION},
            {"model", options.source.model},
            {"layer", options.layer},
            {"file", options.out},
            {"shape", shape}};
}

Json grid_of(const FeaturesFound& found, std::size_t i) {
    return {
        {"file", found.images[i]}, {"rows", found.grids[i].rows}, {"columns", found.grids[i].cols}};
}

// patches: of all images.
void expect_components(int asked, const Matrix& features, Index patches) {
    const Index width = features.cols();
    if (patches < 2)
        throw WorkError("Principal components need at least two patches, found " +
                        std::to_string(patches) + ".");
    if (asked > std::min(width, patches - 1))
        throw UsageError("--components: expected at most " +
                         (width < patches
                              ? std::to_string(width) + ", as many as a feature has numbers"
                              : std::to_string(patches - 1) + ", one less than there are patches") +
                         ", found " + std::to_string(asked) + ".");
}

PrincipalComponents components_of(const FeaturesFound& found, const FeaturesOptions& options) {
    try {
        return principal_components(found.rows, Index{options.components});
    } catch (const AnalysisError& error) {
        throw WorkError(options.source.model + ": " + error.what());
    }
}

}  // namespace

std::optional<int> layer_of_features(const std::string& text, const Model& model) {
    if (text == "last") return {};
    try {
        return parse_layer("--layer", text, model);
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
}

void write_pca(const FeaturesOptions& options, const FeaturesAudience& audience) {
    const std::vector<std::string> images = all_images(options.images);
    expect_free_output(options, images);
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
        throw WorkError(image + ": expected a grid of " + std::to_string(grid.rows) + " × " +
                        std::to_string(grid.cols) + " patches as of " + first + ", found " +
                        std::to_string(of_image.grid.rows) + " × " +
                        std::to_string(of_image.grid.cols) + ".");
    };
    const FeaturesFound found = features_of_images(options, audience, images, unread, check);
    const PrincipalComponents components = components_of(found, options);
    std::vector<Matrix> projections;
    for (const Matrix& rows : found.rows)
        projections.push_back(components.project(MatrixView(rows)));
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(found.images.size()), grid.rows,
                                          grid.cols, options.components};
    std::string names;
    for (const std::string& image : found.images) names += image + '\n';
    if (!list.empty()) write_file(list, names);
    write_array(options.out, shape, projections);
    if (!options.json) return unread.say();
    Json json = described(options, shape);
    json["failed"] = json_of(unread);
    for (const float share : components.shares) json["variance"].push_back(share);
    for (std::size_t i = 0; i < found.images.size(); ++i)
        json["images"].push_back(grid_of(found, i));
    audience.out << printed(json) << '\n';
    unread.say();
}

void write_matches(const FeaturesOptions& options, const FeaturesAudience& audience) {
    const std::vector<std::string> images = all_images(options.images);
    UnreadImages unread(audience.warnings, 1);  // both are needed
    if (images.size() != 2)
        throw UsageError("--image: expected two images, found " + std::to_string(images.size()) +
                         ".");
    expect_free_output(options, images);
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

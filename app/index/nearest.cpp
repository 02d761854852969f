#include "index/nearest.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

#include "analysis/similarity.h"
#include "disk/files.h"
#include "index/image_features.h"

namespace headlight {

void expect_patch(const std::optional<int>& patch, const PatchFeatures& features) {
    const auto count = static_cast<int>(features.rows.rows());
    if (patch && (*patch < 0 || *patch >= count))
        throw RecipeError("Expected a patch from 0 to " + std::to_string(count - 1) + ", found " +
                          std::to_string(*patch) + ".");
}

NearestImage compare_with(const PatchFeatures& asked, const std::optional<int>& patch,
                          const std::string& image, const PatchFeatures& with) {
    NearestImage found{.image = image, .grid = with.grid};
    if (!patch) {
        found.cosine = cosines_between(Matrix(asked.image), Matrix(with.image))(0, 0);
        return found;
    }
    const MatrixView query = MatrixView(asked.rows).block(*patch, 0, 1, asked.rows.cols());
    const Matrix cosines = cosines_between(query, with.rows);
    Index best = 0;
    found.cosine = cosines.row(0).maxCoeff(&best);
    found.patch = static_cast<int>(best);
    return found;
}

bool is_more_similar(const NearestImage& a, const NearestImage& b) {
    if (std::isnan(a.cosine) || std::isnan(b.cosine))
        return std::isnan(b.cosine) && !std::isnan(a.cosine);
    return a.cosine > b.cosine;
}

NearestFound find_nearest(const NearestQuestion& question, const NearestTools& tools) {
    ImageFeatures features({question.model, question.recipe, question.layer}, tools.cache,
                           tools.stop);
    const PatchFeatures asked =
        features.of_file(question.recipe.image, tools.read_file, tools.stop).features;
    expect_patch(question.patch, asked);
    const std::filesystem::path own = absolute_path(question.recipe.image);
    NearestFound found;
    std::size_t done = 0;
    for (const std::string& image : question.images) {
        throw_if_stopped(tools.stop);
        if (absolute_path(image) != own) try {
                const FeaturesOfImage of = features.of_file(image, tools.read_file, tools.stop);
                found.images.push_back(compare_with(asked, question.patch, image, of.features));
                found.images.back().from_cache = of.from_cache;
            } catch (const Stopped&) {
                throw;
            } catch (const std::bad_alloc&) {
                throw;
            } catch (const std::exception& error) {
                found.failed.push_back({image, error.what()});
            }
        if (tools.progress) tools.progress(++done);
    }
    std::ranges::stable_sort(found.images, is_more_similar);
    found.cache_problem = features.cache_problem();
    return found;
}

}  // namespace headlight

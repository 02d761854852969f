#include "index/nearest.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <utility>

#include "analysis/similarity.h"
#include "disk/files.h"

namespace headlight {

void expect_patch(const std::optional<int>& patch, const PatchFeatures& features) {
    const auto count = static_cast<int>(features.rows.rows());
    if (patch && (*patch < 0 || *patch >= count))
        throw RecipeError("Expected a patch from 0 to " + std::to_string(count - 1) + ", found " +
                          std::to_string(*patch) + ".");
}

NearestImage compare_with(const PatchFeatures& asked, const std::optional<int>& patch,
                          const std::string& image, const FeaturesOfImage& with) {
    const PatchFeatures& other = with.features;
    NearestImage found{.image = image, .grid = other.grid, .from_cache = with.from_cache};
    if (!patch) {
        found.cosine = cosines_between(Matrix(asked.image), Matrix(other.image))(0, 0);
        return found;
    }
    const MatrixView query = MatrixView(asked.rows).block(*patch, 0, 1, asked.rows.cols());
    const Matrix cosines = cosines_between(query, other.rows);
    Index best = 0;
    found.cosine = cosines.row(0).maxCoeff(&best);
    found.patch = static_cast<int>(best);
    return found;
}

void add_image(NearestFound& found, const std::string& image,
               const std::function<NearestImage()>& compare) {
    try {
        found.images.push_back(compare());
    } catch (const Stopped&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        found.failed.push_back({image, error.what()});
    }
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
        if (absolute_path(image) != own)
            add_image(found, image, [&] {
                return compare_with(asked, question.patch, image,
                                    features.of_file(image, tools.read_file, tools.stop));
            });
        if (tools.progress) tools.progress(++done);
    }
    std::ranges::stable_sort(found.images, is_more_similar);
    found.cache_problem = features.cache_problem();
    return found;
}

NumberTable table_of(const std::vector<NearestImage>& images, std::optional<Index> prefix) {
    NumberTable table{{"image"}, {}, {"cosine"}, {}};
    if (prefix) table.columns.insert(table.columns.end(), {"token", "row", "column"});
    for (const NearestImage& found : images) {
        std::vector<double> numbers{static_cast<double>(found.cosine)};
        if (prefix)
            for (const Index number :
                 {*prefix + found.patch, Index{found.row()}, Index{found.column()}})
                numbers.push_back(static_cast<double>(number));
        table.add({found.image}, std::move(numbers));
    }
    return table;
}

}  // namespace headlight

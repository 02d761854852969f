#include "state/folder_study.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "disk/read_file.h"
#include "measures/measure_heads.h"
#include "state/image_folder.h"

namespace headlight {

namespace {

// Measures one image; intermediate results are released afterwards.
ImageMeasures measure(const FolderQuestion& question, const std::filesystem::path& path,
                      const FileReader& read_file, const StopFlag& stop) {
    Recipe recipe = on_any_image(question.recipe);
    recipe.image = path.string();
    const Model& model = *question.model;
    const Counterfactual change = counterfactual_of(recipe, model);
    ImageMeasures found;
    found.path = path;
    Trace front = front_of_picture(question.model, recipe, {&read_file, stop});
    HeadMeasuresQuestion asked;
    for (const HeadMeasureInfo& measure : run_measures()) asked.what.push_back(measure.id);
    asked.what.insert(asked.what.end(), question.on_request.begin(), question.on_request.end());
    asked.of_class = question.of_class;
    MeasuredHeads measured = measure_heads(std::move(front), change, asked, nullptr, stop);
    found.heads = std::move(measured.heads);
    found.answer = measured.answer;
    return found;
}

// The same; an error is stored in the result.
ImageMeasures measure_or_tell(const FolderQuestion& question, const std::filesystem::path& path,
                              const FileReader& read_file, const StopFlag& stop) {
    try {
        return measure(question, path, read_file, stop);
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& error) {
        ImageMeasures failed;
        failed.path = path;
        failed.error = error.what();
        return failed;
    }
}

}  // namespace

bool operator==(const FolderQuestion& a, const FolderQuestion& b) {
    return a.on_request == b.on_request && a.of_class == b.of_class && a.model == b.model &&
           on_any_image(a.recipe) == on_any_image(b.recipe) && same_images(a.images, b.images);
}

bool FolderQuestion::asks(HeadMeasure measure) const {
    return std::ranges::find(on_request, measure) != on_request.end();
}

const ImageMeasures* FolderMeasures::find(const std::filesystem::path& path) const {
    for (const auto& image : images)
        if (image->path == path) return image.get();
    return nullptr;
}

FolderMeasures measure_folder(const FolderQuestion& question, const FileReader& read_file,
                              const std::function<void(FolderMeasures)>& tell,
                              std::atomic<float>& progress, const StopFlag& stop) {
    FolderMeasures found;
    for (const DirectoryEntry& image : *question.images) {
        throw_if_stopped(stop);
        found.images.push_back(std::make_shared<const ImageMeasures>(
            measure_or_tell(question, image.path, read_file, stop)));
        progress =
            static_cast<float>(found.images.size()) / static_cast<float>(question.images->size());
        if (tell) tell(found);
    }
    return found;
}

const FolderFinder kFolder{.compute =
                               [](const FolderQuestion& question, const FolderFinder::Run& run) {
                                   return measure_folder(question, read_file, run.publish,
                                                         run.progress, run.stop);
                               },
                           .takes_long = true,
                           .in_background = true};

std::vector<double> measures_of(const FolderMeasures& folder, const HeadPlace& head,
                                HeadMeasure measure) {
    const auto b = static_cast<std::size_t>(head.layer), h = static_cast<std::size_t>(head.head);
    std::vector<double> values;
    for (const auto& image : folder.images)
        if (b < image->heads.size() && h < image->heads[b].size() &&
            std::isfinite(image->heads[b][h][measure]))
            values.push_back(image->heads[b][h][measure]);
    return values;
}

}  // namespace headlight

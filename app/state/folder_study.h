#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/prediction.h"
#include "analysis/summary.h"
#include "files/file.h"
#include "state/directory.h"
#include "state/state.h"
#include "tasks/studies.h"

// Measures all heads on every image of a folder in a background task, one image after the other.
// Only the measurements are kept.
namespace headlight {

struct FolderQuestion {
    Recipe recipe;  // its image and its layer have no effect
    ImageList images;
    // Beside the measures of every run: those on request of an image alone, if the model has them
    // (has_measure).
    std::vector<HeadMeasure> on_request;
    std::shared_ptr<const Model> model;  // that the images are run through
    // For measures of a class; empty: each image's predicted class.
    std::optional<Index> of_class{};

    [[nodiscard]] bool asks(HeadMeasure measure) const;

    friend bool operator==(const FolderQuestion& a, const FolderQuestion& b);
};

struct ImageMeasures {
    std::filesystem::path path;
    std::string error;                 // one sentence; empty if measured
    LayerNumbers heads;                // as in MeasuredHeads
    std::optional<Prediction> answer;  // for a model with classes
};

struct FolderMeasures {
    std::vector<std::shared_ptr<const ImageMeasures>> images;  // the images done so far

    [[nodiscard]] const ImageMeasures* find(const std::filesystem::path& path) const;
};

using FolderFinder = Study<FolderQuestion, FolderMeasures>;

// Measures all images. An image that cannot be read or computed has its `error` set, and the others
// continue. Throws Stopped.
FolderMeasures measure_folder(const FolderQuestion& question, const FileReader& read_file,
                              const std::function<void(FolderMeasures)>& tell,
                              std::atomic<float>& progress, const StopFlag& stop = {});

// Continues while another screen is shown.
extern const FolderFinder kFolder;

// One measure of one head on all images; images without a value are left out.
std::vector<double> measures_of(const FolderMeasures& folder, const HeadPlace& head,
                                HeadMeasure measure);

}  // namespace headlight

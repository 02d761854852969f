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
    bool importance = false;             // also switch off each head
    std::shared_ptr<const Model> model;  // that the images are run through
    std::optional<Index> of_class{};     // for the importance; empty: each image's predicted class

    friend bool operator==(const FolderQuestion& a, const FolderQuestion& b);
};

struct ImageMeasures {
    std::filesystem::path path;
    std::string error;  // one sentence; empty if measured
    // The importance is the effect of switching off the head: the change of the class's probability
    // or, for a model without classes, 1 − the cosine of the two outputs (HeadTurns).
    LayerNumbers heads;
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

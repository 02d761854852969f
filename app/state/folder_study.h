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

// The numbers of all heads on every image of a folder, computed beside the interface: one image
// after the other, of which nothing but the numbers is kept.
namespace headlight {

struct FolderQuestion {
    Recipe recipe;  // on which of the images does not count, and neither does the layer
    std::shared_ptr<const std::vector<DirectoryEntry>> images;
    bool importance = false;             // each head is switched off too
    std::shared_ptr<const Model> model;  // that they run through
    std::optional<Index> of_class{};     // of the importance; none: of each image's own answer

    friend bool operator==(const FolderQuestion& a, const FolderQuestion& b);
};

struct ImageMeasures {
    std::filesystem::path path;
    std::string error;  // one sentence; empty: measured
    // The importance is what becomes of the model's end without the head: the change of the
    // class's probability, or of a model without classes 1 − the cosine of what it gives
    // (HeadTurns).
    LayerNumbers heads;
    std::optional<Prediction> answer;  // of a model with classes
};

struct FolderMeasures {
    std::vector<std::shared_ptr<const ImageMeasures>> images;  // as far as they are done

    [[nodiscard]] const ImageMeasures* find(const std::filesystem::path& path) const;
};

using FolderFinder = Study<FolderQuestion, FolderMeasures>;

// All images; what cannot be read or computed has its error, and the others go on. Throws Stopped.
FolderMeasures measure_folder(const FolderQuestion& question, const FileReader& read_file,
                              const std::function<void(FolderMeasures)>& tell,
                              std::atomic<float>& progress, const StopFlag& stop = {});

// Goes on while another screen is looked at.
extern const FolderFinder kFolder;

// One number of one head on all images, without those that have none.
std::vector<double> measures_of(const FolderMeasures& folder, const HeadPlace& head,
                                HeadMeasure measure);

}  // namespace headlight

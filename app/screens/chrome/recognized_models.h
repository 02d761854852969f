#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "disk/files.h"
#include "disk/hub_cache.h"
#include "kernels/stop.h"

// Examines the models that other programs have downloaded to this disk.
namespace headlight::screens {

struct RecognizedModel {
    std::string name;         // its published name
    std::string file;         // the checkpoint; empty: none
    std::uint64_t bytes = 0;  // size of the checkpoint, or of all its shards
    std::string kind{};       // "ViT-S/16, 1000 classes"; empty: not supported,
    std::string problem{};    // for this reason; both are empty until examined
};

struct RecognizedModels {
    std::vector<RecognizedModel> models;  // in natural order of their names
    std::size_t looked_at = 0;
};

// Examines the header of one model after the other. Caches results as long as the file does not
// change.
class Recognition {
  public:
    using Publish = std::function<void(RecognizedModels)>;
    using List = std::function<std::vector<LocalModel>(const StopFlag&)>;

    explicit Recognition(List list = local_models) : list_(std::move(list)) {}

    // `publish` gets the results so far, a few times a second. Throws Stopped; the next call
    // continues from there.
    RecognizedModels run(const Publish& publish, const StopFlag& stop);

  private:
    struct Known {
        FileState state;
        RecognizedModel model;
    };

    [[nodiscard]] const Known* find(const LocalModel& model) const;
    const Known& look_at(const LocalModel& model, const StopFlag& stop);

    List list_;
    std::map<std::string, Known> known_;  // by file
};

}  // namespace headlight::screens

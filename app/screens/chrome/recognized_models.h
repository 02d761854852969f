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

// What the models are that other programs have left on this disk.
namespace headlight::screens {

struct RecognizedModel {
    std::string name;         // as its publishers name it
    std::string file;         // the checkpoint; empty: none
    std::uint64_t bytes = 0;  // of the checkpoint, or of all its shards
    std::string kind{};       // "ViT-S/16, 1000 classes"; empty: Headlight does not open it,
    std::string problem{};    // for this reason; both are empty until Headlight has looked at it
};

struct RecognizedModels {
    std::vector<RecognizedModel> models;  // in natural order of their names
    std::size_t looked_at = 0;
};

// Looks at one model after the other, at the header alone. Remembers what it found as long as the
// file does not change.
class Recognition {
  public:
    using Publish = std::function<void(RecognizedModels)>;
    using List = std::function<std::vector<LocalModel>(const StopFlag&)>;

    explicit Recognition(List list = local_models) : list_(std::move(list)) {}

    // `publish` gets what is known so far, a few times a second. Throws Stopped; the next call goes
    // on from there.
    RecognizedModels run(const Publish& publish, const StopFlag& stop);

  private:
    struct Known {
        FileState state;
        RecognizedModel model;
    };

    [[nodiscard]] const Known* find(const LocalModel& model) const;
    const Known& look_at(const LocalModel& model, const StopFlag& stop);

    List list_;
    std::map<std::string, Known> known_;  // by the file
};

}  // namespace headlight::screens

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/stored_tensor.h"
#include "files/torch_archive.h"

// Finds the weights in a PyTorch checkpoint. Training scripts also save a moving average, an
// optimizer and settings.
namespace headlight {

// The parts of a file that can be opened, and the chosen one.
struct FileParts {
    struct Part {
        std::string name;  // as --part takes it: keys joined by dots, "teacher", "ema.shadow"; "."
                           // for the whole file
        std::string look;  // for people: the number of tensors, and the first of them
    };
    std::vector<Part> all;  // one or none: there is no choice
    std::size_t chosen = 0;
    std::string reason;         // for people
    bool is_arbitrary = false;  // chosen without a rule that prefers it
};

struct StateDict {
    StoredTensors tensors;
    FileParts parts;
    std::optional<std::string> inside;  // the rest of the requested name, which names a part of
                                        // these tensors
};

// Chooses the weights that the authors evaluate: an average or a teacher before the model in
// training, then usual names, then the largest. A head stored next to an encoder is included; both
// then keep the names of their keys. An average without names gets those of the model in training,
// and a partial average is completed from it. The conversion program (recognize.h) makes the same
// choice. `asked` is the value of --part. Throws CheckpointError if there are no weights, or only
// in pickled modules, or if the part does not exist, and as TorchArchive::tensor does.
StateDict read_state_dict(const TorchArchive& archive, const std::string& name,
                          const std::optional<std::string>& asked, const StopFlag& stop = {});

}  // namespace headlight

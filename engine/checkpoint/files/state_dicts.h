#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/stored_tensor.h"
#include "files/torch_archive.h"

// Which of the dictionaries in a PyTorch checkpoint holds the weights: training scripts save a
// moving average, an optimizer and their settings beside them.
namespace headlight {

// What of a file can be opened, and which of it is.
struct FileParts {
    struct Part {
        std::string
            name;  // as --part takes it: keys with dots, "teacher", "ema.shadow"; "." for all
        std::string look;  // for people: how many tensors, and the first of them
    };
    std::vector<Part> all;  // one or none: there is no choice
    std::size_t chosen = 0;
    std::string reason;         // for people
    bool is_arbitrary = false;  // no rule prefers it
};

struct StateDict {
    StoredTensors tensors;
    FileParts parts;
    std::optional<std::string> inside;  // of what was asked for: what names a part of these tensors
};

// The weights that the authors evaluate: an average or a teacher before the model in training; then
// usual names; then the largest. A head that is stored beside an encoder comes with it, and both
// then keep the names of their keys. Averages without names get those of the model in training, and
// parts of an average the rest of it. The same choice as that of the lines of Python which convert
// checkpoints (recognize.h). `asked` is what --part says. Throws CheckpointError: no weights, only
// in whole pickled modules, a part that is not there, what TorchArchive::tensor throws.
StateDict read_state_dict(const TorchArchive& archive, const std::string& name,
                          const std::optional<std::string>& asked, const StopFlag& stop = {});

}  // namespace headlight

#include "platform/script_export.h"

#include <optional>

#include "disk/names.h"
#include "disk/read_file.h"
#include "files/tensor_file.h"
#include "program/program.h"
#include "pytorch/script.h"
#include "state/command.h"

namespace headlight::platform {

void save_script(const std::filesystem::path& path, const Workspace& work) {
    const auto walk = work.trace();
    if (!walk || !work.complete())
        throw CommandError(
            "export: the walk is still being computed; once it is done it can be "
            "saved as a script.");
    const Recipe& recipe = work.trace_recipe();
    std::optional<TensorFile> checkpoint;
    std::filesystem::path file = recipe.weights;
    if (!recipe.weights.empty()) {
        file = std::filesystem::absolute(checkpoint_in(file).value_or(file));
        checkpoint = open_tensor_file(file.string(), read_file);
    }
    const Counterfactual change = counterfactual_of(recipe, *walk->model);
    write_script(path.string(), python_script({*walk, change, checkpoint ? &*checkpoint : nullptr,
                                               file.string()}));
}

}  // namespace headlight::platform

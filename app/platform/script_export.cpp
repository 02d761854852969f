#include "platform/script_export.h"

#include <optional>

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
            "export: the walk is still being computed. Save the script when it is done.");
    const std::string& file = walk->model->file;
    std::optional<TensorFile> checkpoint;
    if (!file.empty())
        checkpoint = open_tensor_file(std::filesystem::absolute(file).string(), read_file);
    const Counterfactual change = counterfactual_of(work.trace_recipe(), *walk->model);
    write_script(path.string(),
                 python_script({*walk, change, checkpoint ? &*checkpoint : nullptr}));
}

}  // namespace headlight::platform

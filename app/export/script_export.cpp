#include "export/script_export.h"

#include <optional>
#include <vector>

#include "disk/read_file.h"
#include "files/tensor_file.h"
#include "program/program.h"
#include "pytorch/script.h"
#include "pytorch/script_gradients.h"
#include "state/command.h"
#include "state/gradient_study.h"

namespace headlight::app {

namespace {

// Those that Walk shows beside its values; none if it shows none.
std::optional<ScriptGradients> shown_gradients(const Workspace& work) {
    const Look& look = work.state().look;
    const auto& walk = work.trace();
    const auto& baseline = work.pinned_trace();
    if (!look.gradient ||
        !why_no_gradient(look, work.trace_recipe(), *walk, baseline != nullptr).empty())
        return {};
    const GradientQuestion question = gradient_question(
        look, work.trace_recipe(), walk,
        work.summary() ? work.summary()->top : std::vector<Prediction>(), baseline);
    return script_gradients(*walk, question.change, target_of(question), walk->layer);
}

}  // namespace

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
    const std::optional<ScriptGradients> gradients = shown_gradients(work);
    write_script(path.string(), python_script({*walk, change, checkpoint ? &*checkpoint : nullptr,
                                               nullptr, gradients ? &*gradients : nullptr}));
}

}  // namespace headlight::app

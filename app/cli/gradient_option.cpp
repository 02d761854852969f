#include "cli/gradient_option.h"

#include "cli/class_option.h"
#include "cli/errors.h"
#include "encoder/lens.h"
#include "kernels/in_quotes.h"
#include "program/program.h"

namespace headlight::cli {

std::optional<GradientTarget> gradient_target(const std::string& of, const Source& source) {
    if (of.empty()) return std::nullopt;
    const Model& model = *source.model;
    if (const std::string why = why_no_gradient(model, counterfactual_of(source.asked, model));
        !why.empty())
        throw WorkError(model.file + ": " + why);
    if (!has_classes(model)) {
        if (of == "pooled") return GradientTarget{};
        throw UsageError("--gradient-of: expected pooled for a model without classes, found " +
                         in_quotes(of) + ".");
    }
    return GradientTarget{class_of(model, of, "--gradient-of")};
}

}  // namespace headlight::cli

#include "cli/gradient_option.h"

#include "cli/errors.h"
#include "encoder/lens.h"
#include "kernels/in_quotes.h"
#include "program/program.h"
#include "program/values.h"

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
    const auto classes = static_cast<int>(model.classifier.weight->view().rows);
    try {
        return GradientTarget{parse_integer("--gradient-of", of, 0, classes - 1)};
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
}

}  // namespace headlight::cli

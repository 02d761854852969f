#include "cli/gradient_option.h"

#include <string_view>

#include "cli/class_option.h"
#include "cli/errors.h"
#include "cli/front.h"
#include "encoder/ablation.h"
#include "encoder/lens.h"
#include "encoder/runner.h"
#include "kernels/in_quotes.h"
#include "program/program.h"

namespace headlight::cli {

namespace {

constexpr std::string_view kCosineWith = "cosine:";

void expect_gradients(const Source& source) {
    const Model& model = *source.model;
    if (const std::string why = why_no_gradient(model, counterfactual_of(source.asked, model));
        !why.empty())
        throw WorkError(model.file + ": " + why);
}

}  // namespace

std::string image_of_cosine(const std::string& of) {
    return of.starts_with(kCosineWith) ? of.substr(kCosineWith.size()) : "";
}

std::optional<GradientTarget> target_or_cosine(const std::string& of, const Source& source,
                                               const StopFlag& stop) {
    const std::string image = image_of_cosine(of);
    if (image.empty()) return gradient_target(of, source);
    expect_gradients(source);
    Source other;
    other.model = source.model;
    other.asked = source.asked;
    other.image = image;
    const Trace done = Runner::run(beginning_of(other), {}, stop);
    return GradientTarget{{}, make_result(Matrix(output_row(done)))};
}

std::optional<GradientTarget> gradient_target(const std::string& of, const Source& source) {
    if (of.empty()) return std::nullopt;
    const Model& model = *source.model;
    expect_gradients(source);
    if (!has_classes(model)) {
        if (of == "pooled") return GradientTarget{};
        throw UsageError("--gradient-of: expected pooled for a model without classes, found " +
                         in_quotes(of) + ".");
    }
    return GradientTarget{class_of(model, of, "--gradient-of")};
}

}  // namespace headlight::cli

#include "cli/class_option.h"

#include <string>

#include "cli/errors.h"
#include "encoder/lens.h"
#include "kernels/counted.h"

namespace headlight::cli {

void expect_class_of(const Model& model, std::optional<int> of_class) {
    if (!of_class) return;
    if (!has_classes(model))
        throw WorkError(model.file + ": --class needs a model with a classifier.");
    const Index classes = model.classifier.weight->view().rows;
    if (*of_class >= classes)
        throw UsageError("--class: expected an integer from 0 to " + std::to_string(classes - 1) +
                         ", as this model has " + counted(classes, "class") + ", found " +
                         std::to_string(*of_class) + ".");
}

}  // namespace headlight::cli

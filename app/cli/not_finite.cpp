#include "cli/not_finite.h"

#include "cli/errors.h"
#include "files/stored_tensor.h"

namespace headlight::cli {

bool say_not_finite(std::span<const float> numbers, const std::string& model,
                    std::ostream& warnings) {
    const bool some = find_not_finite(numbers).has_value();
    if (some) say_not_finite(model, warnings);
    return some;
}

void say_not_finite(const std::string& model, std::ostream& warnings) {
    warnings << "headlight: "
             << one_line(model +
                         ": some results are NaN or infinite, because numbers in the model are too "
                         "large. Run headlight trace to find the first such tensor.")
             << '\n';
}

}  // namespace headlight::cli

#include "cli/layers_option.h"

#include <algorithm>
#include <ostream>

#include "cli/errors.h"

namespace headlight::cli {

NumberRanges ranges_of(const char* option, const std::string& text) {
    return or_usage_error([&] { return NumberRanges(option, text); });
}

LayersOption::LayersOption(const std::string& text) : ranges_(ranges_of("--layers", text)) {}

bool LayersOption::has(int index) const { return std::ranges::binary_search(chosen_, index); }

void LayersOption::expect_within(int layers, const std::string& model) {
    try {
        chosen_ = ranges_.of(layers, "layers");
    } catch (const ValueError& error) {
        throw WorkError(model + ": " + error.what());
    }
    std::ranges::sort(chosen_);
}

std::string LayersOption::numbers() const {
    std::string text;
    for (const int index : chosen_) text += (text.empty() ? "" : ",") + std::to_string(index + 1);
    return text;
}

void LayersOption::say(std::ostream& warnings) const {
    if (all()) return;
    std::string tensors;
    for (const int index : chosen_)
        tensors += (tensors.empty() ? "layer." : ", layer.") + std::to_string(index);
    warnings << "headlight: layer" << (chosen_.size() == 1 ? " " : "s ") << numbers()
             << " written as " << tensors << ". Layers count from 1, tensor names from 0.\n";
}

}  // namespace headlight::cli

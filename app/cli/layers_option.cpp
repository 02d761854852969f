#include "cli/layers_option.h"

#include <charconv>

#include "cli/errors.h"

namespace headlight::cli {

LayersOption::LayersOption(const std::string& text) {
    if (text == "all") return;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        int layer = 0;
        const auto [next, error] = std::from_chars(at, end, layer);
        if (error != std::errc() || layer < 0 || (next != end && *next != ','))
            throw UsageError("--layers: expected all, or numbers such as 0,2, found \"" + text +
                             "\".");
        chosen_.insert(layer);
        if (next == end) return;
        at = next + 1;
    }
}

void LayersOption::expect_within(int layers, const std::string& model) const {
    if (all() || *chosen_.rbegin() < layers) return;
    const std::string expected =
        layers == 1 ? "layer 0, the only one of this file"
                    : "layers 0 to " + std::to_string(layers - 1) + " of this file";
    throw WorkError(model + ": expected " + expected + ", found " +
                    std::to_string(*chosen_.rbegin()) + " in --layers.");
}

}  // namespace headlight::cli

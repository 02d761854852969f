#include "heads/in_memory.h"

#include <fmt/format.h>

#include <vector>

namespace headlight::screens {

namespace {

constexpr double kMiB = 1024.0 * 1024.0;

std::string budget() { return fmt::format("{:g} MiB", static_cast<double>(kMaxKeptBytes) / kMiB); }

// Blocks of the model whose queries and keys are not kept.
std::vector<std::size_t> left_out(const Model& model, const KeptLayers& kept) {
    std::vector<std::size_t> missing;
    for (auto b = static_cast<std::size_t>(model.token_transformers()); b < kept.size(); ++b)
        if (!kept[b]) missing.push_back(b);
    return missing;
}

}  // namespace

std::string kept_words(const KeptLayers& kept) {
    std::size_t bytes = 0, layers = 0;
    for (const auto& layer : kept)
        if (layer) {
            bytes += layer->bytes();
            ++layers;
        }
    return fmt::format(
        "The queries and keys of {} layer{} are in memory and take {:.1f} MiB of at most {}. "
        "The maps of any token are computed from them.",
        layers, layers == 1 ? "" : "s", static_cast<double>(bytes) / kMiB, budget());
}

std::string left_out_words(const Model& model, const KeptLayers& kept) {
    const std::vector<std::size_t> missing = left_out(model, kept);
    if (missing.empty()) return "";
    const std::string& first = model.layers[missing.front()].name;
    const std::string which = missing.size() == 1
                                  ? first + " has"
                                  : fmt::format("{} and {} more layer{} have", first,
                                                missing.size() - 1, missing.size() == 2 ? "" : "s");
    return fmt::format(
        "{} no maps here, because the queries and keys would need more than {}. The command "
        "“headlight maps” writes all of them.",
        which, budget());
}

}  // namespace headlight::screens

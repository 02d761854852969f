#include "files/aliases.h"

#include <set>
#include <string_view>

#include "files/error.h"

namespace headlight {

namespace {

// "weight" for "blocks.0.norm1.weight".
std::string_view last_word(std::string_view name) {
    const std::size_t end = name.find_last_of("./");
    return end == std::string_view::npos ? name : name.substr(end + 1);
}

std::set<std::string, std::less<>> last_words(const StoredTensors& tensors) {
    std::set<std::string, std::less<>> words{"weight", "bias"};
    for (const auto& [name, tensor] : tensors) words.emplace(last_word(name));
    return words;
}

// The stored tensor that a name refers to; null if there is none, or if the chain is circular.
const StoredTensor* target_of(const StoredTensors& tensors, const Metadata& metadata,
                              const std::string& alias) {
    const std::string* name = &alias;
    for (std::size_t steps = 0; steps <= metadata.size(); ++steps) {
        if (const auto stored = tensors.find(*name); stored != tensors.end())
            return &stored->second;
        const auto next = metadata.find(*name);
        if (next == metadata.end()) return nullptr;
        name = &next->second;
    }
    return nullptr;
}

}  // namespace

void add_aliases(StoredTensors& tensors, const Metadata& metadata, const std::string& file) {
    StoredTensors aliases;
    const auto words = last_words(tensors);
    const auto names_tensor = [&](const std::string& name) {
        return words.contains(last_word(name));
    };
    for (const auto& [name, target] : metadata) {
        if (tensors.contains(name) || name == "format") continue;
        if (const StoredTensor* stored = target_of(tensors, metadata, name))
            aliases.emplace(name, *stored).first->second.is_alias = true;
        else if (names_tensor(name) && names_tensor(target))
            Source(file).refuse(
                name, "the tensor " + in_quotes(target) + ", whose numbers it shares", "none");
    }
    tensors.merge(aliases);
}

}  // namespace headlight

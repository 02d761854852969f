#include "families/addition_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

#include "kernels/ascii.h"

namespace headlight {

std::vector<std::string> components_of(const std::string& name) {
    std::vector<std::string> parts(1);
    for (const char c : name)
        if (c == '.' || c == '/')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// "X.lora_A.default.weight", "X.lora_A.weight", "X.ia3_l.default", "X.lora_down.weight".
std::optional<AdditionName> addition_name(const std::string& tensor) {
    constexpr std::array<std::string_view, 6> kMerged{
        "lora_A", "lora_B", "lora_magnitude_vector", "ia3_l", "lora_down", "lora_up"};
    const std::vector<std::string> parts = components_of(tensor);
    AdditionName name;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (std::ranges::find(kMerged, parts[i]) == kMerged.end()) {
            name.module += (i == 0 ? "" : ".") + parts[i];
            continue;
        }
        name.part = parts[i];
        std::vector<std::string> rest(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      parts.end());
        const std::string ending = rest.empty() ? "" : rest.back();
        const bool is_bias = ending == "bias" && name.part == "lora_B";
        const bool of_matrix =
            name.part.starts_with("lora_") && name.part != "lora_magnitude_vector";
        if (ending == "weight" || is_bias) rest.pop_back();
        if (rest.size() > 1 || (of_matrix && ending != "weight" && !is_bias)) return {};
        if (is_bias) name.part += ".bias";
        if (!rest.empty()) name.adapter = rest[0];
        return name;
    }
    return {};
}

// True if a component contains the word, delimited by "_" or digits.
bool has_word(const std::string& component, std::string_view word) {
    const std::string lower = in_lower_case(component);
    for (std::size_t at = lower.find(word); at != std::string::npos;
         at = lower.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const auto is_letter = [&](std::size_t i) {
            return i < lower.size() && std::isalpha(static_cast<unsigned char>(lower[i])) != 0;
        };
        if (!(at > 0 && is_letter(at - 1)) && !is_letter(end)) return true;
    }
    return false;
}

std::optional<std::string> addition_kind(const std::string& tensor) {
    struct Kind {
        std::string_view word, kind;
    };
    constexpr std::array kKinds{
        Kind{"lora", "LoRA"}, Kind{"loras", "LoRA"}, Kind{"dora", "DoRA"}, Kind{"hada", "LoHa"},
        Kind{"loha", "LoHa"}, Kind{"lokr", "LoKr"}, Kind{"ia3", "IA³"}, Kind{"vera", "VeRA"},
        Kind{"oft", "OFT"}, Kind{"boft", "BOFT"}, Kind{"adapter", "adapter"},
        Kind{"adapters", "adapter"}, Kind{"adaptmlp", "adapter"}, Kind{"adaptformer", "adapter"},
        Kind{"prompt", "prompt"}, Kind{"prompts", "prompt"}, Kind{"vpt", "prompt"},
        // LoRA-ViT's and SAMed's, for queries and values.
        Kind{"linear_a", "LoRA"}, Kind{"linear_b", "LoRA"}, Kind{"w_a", "LoRA"},
        Kind{"w_b", "LoRA"}, Kind{"w_as", "LoRA"}, Kind{"w_bs", "LoRA"}};
    const std::vector<std::string> components = components_of(tensor);
    for (const std::string& component : components)
        for (const auto& [word, kind] : kKinds) {
            // Encoders of user prompts (SAM's) are not additions.
            const bool encodes = has_word(component, "encoder") || has_word(component, "decoder");
            if (has_word(component, word) && !encodes) return std::string(kind);
        }
    // peft's prompts: "prompt_encoder.default.embedding.weight".
    const auto encoder = std::ranges::find(components, "prompt_encoder");
    if (components.end() - encoder > 2 && *(encoder + 2) == "embedding") return "prompt";
    return {};
}

// Removes every "base_layer." and uses the trained copy of a module instead of the original.
StoredTensors with_plain_names(const StoredTensors& tensors) {
    constexpr std::string_view kBase = "base_layer.", kSaved = "modules_to_save.",
                               kOriginal = "original_module.";
    const auto at = [](const std::string& name, std::string_view word) {
        const std::size_t found = name.find(word);
        return found == 0 || (found != std::string::npos && name[found - 1] == '.')
                   ? found
                   : std::string::npos;
    };
    StoredTensors plain, saved;
    for (const auto& [stored_name, tensor] : tensors) {
        std::string name = stored_name;
        for (std::size_t i = at(name, kBase); i != std::string::npos; i = at(name, kBase))
            name.erase(i, kBase.size());
        if (const std::size_t i = at(name, kOriginal); i != std::string::npos) {
            plain.emplace(name.erase(i, kOriginal.size()), tensor);
        } else if (const std::size_t j = at(name, kSaved); j != std::string::npos) {
            const std::size_t end = name.find('.', j + kSaved.size());  // of the adapter's name
            saved.emplace(end == std::string::npos ? name.erase(j, kSaved.size())
                                                   : name.erase(j, end + 1 - j),
                          tensor);
        } else {
            plain.emplace(std::move(name), tensor);
        }
    }
    for (auto& [name, tensor] : saved) plain[name] = tensor;
    return plain;
}

}  // namespace headlight

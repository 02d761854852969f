#include "files/wrappers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace headlight {

namespace {

// All of them only call the module inside. PEFT's original_module is not one: it holds the weights
// before training, next to the trained ones.
constexpr std::array<std::string_view, 10> kWrappers{
    "_orig_mod",  // torch.compile
    "module",     // DataParallel, DistributedDataParallel, DeepSpeed, AveragedModel
    "_fsdp_wrapped_module",
    "_checkpoint_wrapped_module",
    "_fpw_module",      // fairscale
    "_forward_module",  // Lightning Fabric
    "_original_module",
    "_module",        // Opacus
    "_torch_module",  // ONNX Runtime
    "_wrapped_module"};

bool is_wrapper(std::string_view part) {
    return std::ranges::find(kWrappers, part) != kWrappers.end();
}

// Removes wrappers after the first part that is not a wrapper; the last part is the tensor's own
// name.
std::string unwrapped(std::string_view name, std::set<std::string>& wrappers) {
    std::string kept;
    bool inside = false;
    while (!name.empty()) {
        const std::size_t dot = name.find('.');
        const std::string_view part = name.substr(0, dot);
        const bool is_last = dot == std::string_view::npos;
        if (inside && !is_last && is_wrapper(part)) {
            wrappers.emplace(part);
        } else {
            kept.append(part).append(is_last ? "" : ".");
            inside = inside || !is_wrapper(part);
        }
        name.remove_prefix(is_last ? name.size() : dot + 1);
    }
    return kept;
}

}  // namespace

std::string without_wrappers(const std::string& prefix) {
    std::set<std::string> wrappers;
    std::string name = unwrapped(prefix + ".", wrappers);
    name.pop_back();
    return name;
}

Unwrapped without_wrappers(const TensorFile& file) {
    std::set<std::string> wrappers;
    std::map<std::string, std::string> names;  // original → without wrappers
    std::map<std::string, int> uses;
    for (const auto& [name, tensor] : file.tensors()) {
        std::string shorter = unwrapped(name, wrappers);
        ++uses[shorter];
        names[name] = std::move(shorter);
    }
    if (wrappers.empty()) return {file, {}, {}};
    StoredTensors tensors;
    std::map<std::string, std::string> own_names;
    for (const auto& [name, tensor] : file.tensors()) {
        const std::string& shorter = names[name];
        const bool is_free = uses[shorter] == 1;
        tensors.emplace(is_free ? shorter : name, tensor);
        if (is_free && shorter != name) own_names[shorter] = name;
    }
    return {file.with(std::move(tensors)), {wrappers.begin(), wrappers.end()}, own_names};
}

}  // namespace headlight

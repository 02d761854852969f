#include "families/adapter.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "families/addition_names.h"
#include "files/error.h"
#include "files/safetensors.h"
#include "files/wrappers.h"

namespace headlight {

namespace {

using Entry = StoredTensors::value_type;

constexpr std::string_view kAlpha = ".alpha";  // kohya's, one number

// A tensor of the adapter and what it changes in the base.
struct Target {
    std::string own;   // name in the adapter's file
    std::string name;  // the module that it changes, or its own name without peft's prefix
    std::string part;  // part of addition_name(), or "alpha"; empty: replaces a tensor of the base
    const StoredTensor* tensor = nullptr;
};

Target target_of(const std::string& own, const StoredTensor& tensor) {
    const std::string inner = own.starts_with(kPeft) ? own.substr(kPeft.size()) : own;
    if (const auto name = addition_name(inner)) return {own, name->module, name->part, &tensor};
    if (inner.ends_with(kAlpha) && tensor.count() == 1)
        return {own, inner.substr(0, inner.size() - kAlpha.size()), "alpha", &tensor};
    return {own, inner, "", &tensor};
}

// The tensor of the base under `name` that the target would change.
const Entry* base_tensor(const StoredTensors& base, const Target& target, const std::string& name) {
    if (!target.part.empty()) return weight_of_module(base, name);
    const auto found = base.find(name);
    return found == base.end() ? nullptr : &*found;
}

bool has_fitting_shape(const Target& target, const StoredTensor& base) {
    const StoredTensor& tensor = *target.tensor;
    const auto count = static_cast<std::int64_t>(tensor.count());
    if (target.part.empty()) return tensor.shape == base.shape;
    if (target.part == "alpha") return true;
    if (target.part == "lora_A" || target.part == "lora_down")
        return row_length(tensor) == row_length(base);
    if (target.part == "ia3_l") return count == rows_of(base) || count == row_length(base);
    return target.part.starts_with("lora_B") || target.part == "lora_up"
               ? rows_of(tensor) == rows_of(base)
               : count == rows_of(base);
}

// ---- prefixes of adapter and base

struct Beginnings {
    std::string of_adapter, of_base;  // "vit.", "model."

    friend auto operator<=>(const Beginnings&, const Beginnings&) = default;
};

// The name in the base; empty if the target has another prefix.
std::string renamed(const std::string& name, const Beginnings& beginnings) {
    if (!name.starts_with(beginnings.of_adapter)) return "";
    return beginnings.of_base + name.substr(beginnings.of_adapter.size());
}

std::string joined(const std::vector<std::string>& components, std::size_t count) {
    std::string name;
    for (std::size_t i = 0; i < count; ++i) name += components[i] + ".";
    return name;
}

std::size_t equal_at_the_end(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::size_t count = 0;
    while (count < a.size() && count < b.size() &&
           a[a.size() - 1 - count] == b[b.size() - 1 - count])
        ++count;
    return count;
}

bool is_block_number(const std::string& component) {
    return std::ranges::all_of(component, [](char c) { return c >= '0' && c <= '9'; });
}

// A number is that of a layer, unless it is the first component, as in nn.Sequential.
bool names_layer(const std::vector<std::string>& components, std::size_t count) {
    for (std::size_t i = 1; i < count; ++i)
        if (is_block_number(components[i])) return true;
    return false;
}

// Towers for different inputs may have equal names and shapes.
bool reads_another_input(const std::string& one, const std::string& other) {
    static constexpr std::array<std::string_view, 12> kInputs{
        "text",  "language", "lm",    "llm",   "bert",    "decoder",
        "audio", "speech",   "depth", "video", "thermal", "lidar"};
    const auto has = [](const std::string& name, std::string_view word) {
        return std::ranges::any_of(components_of(name), [&](const std::string& component) {
            return has_word(component, word);
        });
    };
    return std::ranges::any_of(
        kInputs, [&](std::string_view word) { return has(one, word) != has(other, word); });
}

// The prefixes for which this tensor of the adapter would match that of the base.
std::optional<Beginnings> beginnings_for(const Target& target, const std::string& base) {
    const auto of_adapter = components_of(target.name), of_base = components_of(base);
    const std::size_t equal = equal_at_the_end(of_adapter, of_base);
    if (equal == 0) return {};
    const std::size_t before = of_adapter.size() - equal, in_base = of_base.size() - equal;
    if (names_layer(of_adapter, before) || names_layer(of_base, in_base)) return {};
    Beginnings found{joined(of_adapter, before), joined(of_base, in_base)};
    if (reads_another_input(found.of_adapter, found.of_base)) return {};
    return found;
}

// Candidates for targets: modules, or tensors.
std::vector<std::string> names_in(const StoredTensors& base, bool of_modules) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : base) {
        if (!of_modules) names.push_back(name);
        for (const std::string_view ending : {".weight", ".in_proj_weight"})
            if (of_modules && name.ends_with(ending))
                names.push_back(name.substr(0, name.size() - ending.size()));
    }
    return names;
}

class Placement {
  public:
    Placement(const TensorFile& base, std::string path, const StoredTensors& adapter)
        : base_(base), plain_(with_plain_names(base.tensors())), source_(std::move(path)) {
        for (const auto& [name, tensor] : adapter) {
            Target target = target_of(name, tensor);
            const auto kind = addition_kind(target.name);
            if (kind) source_.refuse(name, "LoRA, DoRA or IA³", "an addition of kind " + *kind);
            (target.part.empty() ? whole_ : additions_).push_back(std::move(target));
        }
        if (additions_.empty() && whole_.empty()) source_.refuse("an adapter's tensors", "none");
    }

    Adapter place(const LoraConfig& config, const std::optional<std::string>& part) {
        decide(part);
        expect_shapes();
        expect_complete(config);
        Adapter placed{source_.name(), {}, {}, {}};
        for (const Target& target : additions_)
            add(placed, target,
                renamed(target.name, chosen_) +
                    (target.part == "alpha" ? std::string(kAlpha) : part_of(target)));
        for (const Target& target : whole_) add(placed, target, place_of(target, config));
        if (!chosen_.of_adapter.empty() || !chosen_.of_base.empty())
            placed.renamed = in_quotes(kPeft + chosen_.of_adapter + "…") + " of the adapter is " +
                             in_quotes(chosen_.of_base + "…") + " of the model";
        return placed;
    }

  private:
    // ".lora_A.default.weight"
    static std::string part_of(const Target& target) {
        const std::string inner =
            target.own.starts_with(kPeft) ? target.own.substr(kPeft.size()) : target.own;
        return inner.substr(target.name.size());
    }

    static void add(Adapter& placed, const Target& target, const std::string& name) {
        placed.tensors[name] = *target.tensor;
        placed.own_names[name] = target.own;
    }

    [[nodiscard]] const std::vector<Target>& deciding() const {
        return additions_.empty() ? whole_ : additions_;
    }

    // The number of targets with a tensor in the base, optionally only those with fitting shapes.
    [[nodiscard]] std::size_t count_placed(const Beginnings& beginnings, bool by_shape) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(deciding(), [&](const Target& target) {
                const Entry* found = base_tensor(plain_, target, renamed(target.name, beginnings));
                return found && (!by_shape || has_fitting_shape(target, found->second));
            }));
    }

    void decide(const std::optional<std::string>& part) {
        std::set<Beginnings> possible;
        for (const std::string& name : names_in(plain_, !additions_.empty()))
            if (const auto found = beginnings_for(deciding().front(), name))
                possible.insert(*found);
        std::vector<Beginnings> whole, fitting;
        for (const Beginnings& one : possible)
            if (count_placed(one, false) == deciding().size()) whole.push_back(one);
        if (whole.empty()) refuse_unplaced(possible);
        if (part && whole.size() > 1)
            std::erase_if(whole, [&](const auto& one) { return !one.of_base.starts_with(*part); });
        const auto own = std::ranges::find(whole, Beginnings{});
        if (own != whole.end()) whole = {*own};
        for (const Beginnings& one : whole)
            if (count_placed(one, true) == deciding().size()) fitting.push_back(one);
        if (fitting.empty()) fitting = whole;
        if (fitting.size() != 1)
            refuse_several(fitting.empty() ? possible : std::set(fitting.begin(), fitting.end()));
        chosen_ = fitting.front();
    }

    // The message includes the nearest name in the base.
    [[noreturn]] void refuse_unplaced(const std::set<Beginnings>& possible) const {
        Beginnings best;
        for (const Beginnings& one : possible)
            if (count_placed(one, false) > count_placed(best, false)) best = one;
        const auto lost = std::ranges::find_if(deciding(), [&](const Target& target) {
            return !base_tensor(plain_, target, renamed(target.name, best));
        });
        const Target& target = lost == deciding().end() ? deciding().front() : *lost;
        std::string nearest;
        std::size_t most = 0;
        for (const auto& [name, tensor] : plain_) {
            const std::string ending = target.part.empty() ? "" : ".weight";
            const std::size_t equal =
                equal_at_the_end(components_of(target.name + ending), components_of(name));
            if (nearest.empty() || equal > most) nearest = name;
            most = std::max(most, equal);
        }
        source_.refuse(target.own, "a name that matches a weight of " + base_.name(),
                       "no match; the nearest name there is " + in_quotes(nearest));
    }

    [[noreturn]] void refuse_several(const std::set<Beginnings>& fitting) const {
        const Target& target = deciding().front();
        std::string names;
        for (const Beginnings& one : fitting)
            names += (names.empty() ? "" : " and ") + in_quotes(renamed(target.name, one));
        source_.refuse(target.own, "a name that matches one weight of " + base_.name(),
                       "one that matches " + names + ". Choose one with --part");
    }

    void expect_shapes() const {
        for (const Target& target : additions_) {
            const Entry* found = base_tensor(plain_, target, renamed(target.name, chosen_));
            if (!has_fitting_shape(target, found->second))
                source_.refuse(target.own,
                               "a shape that fits " + shape_text(found->second.shape) + " of " +
                                   in_quotes(found->first),
                               shape_text(target.tensor->shape));
        }
    }

    // The place of trained biases and of modules that were trained as a whole (a new head).
    [[nodiscard]] std::string place_of(const Target& target, const LoraConfig& config) const {
        const std::string there = renamed(target.name, chosen_);
        const std::string name = plain_.contains(there) || !plain_.contains(target.name)
                                     ? (there.empty() ? target.name : there)
                                     : target.name;
        const bool is_saved = std::ranges::any_of(
            config.saved_modules, [&](const auto& module) { return is_in(target.name, module); });
        const auto found = plain_.find(name);
        if (found == plain_.end() && !is_saved)
            source_.refuse(target.own, "a name that matches a tensor of " + base_.name(),
                           "no " + in_quotes(name) + " there");
        if (found != plain_.end() && !is_saved && found->second.shape != target.tensor->shape)
            source_.refuse(target.own,
                           shape_text(found->second.shape) + " as " + in_quotes(found->first),
                           shape_text(target.tensor->shape));
        return name;
    }

    // Compares whole components.
    static bool is_in(const std::string& name, const std::string& module) {
        return ("." + name).find("." + module + ".") != std::string::npos;
    }

    // peft lists both "classifier" and "score" for any model, whichever it has.
    void expect_saved_modules(const std::vector<std::string>& modules) const {
        const auto is_saved = [&](const std::string& module) {
            return std::ranges::any_of(
                whole_, [&](const Target& target) { return is_in(target.name, module); });
        };
        const bool is_any = std::ranges::any_of(modules, is_saved);
        for (const std::string& module : modules) {
            const bool is_in_base = std::ranges::any_of(
                plain_, [&](const Entry& entry) { return is_in(entry.first, module); });
            if (!is_saved(module) && (is_in_base || !is_any))
                source_.refuse("the weights of " + in_quotes(module) +
                                   ", which \"modules_to_save\" in adapter_config.json lists",
                               "none");
        }
    }

    void expect_complete(const LoraConfig& config) const {
        expect_saved_modules(config.saved_modules);
        const bool has_biases_of_b = std::ranges::any_of(
            additions_, [](const Target& target) { return target.part == "lora_B.bias"; });
        if (config.has_biases_of_b && !has_biases_of_b)
            source_.refuse(
                "lora_B with biases, because \"lora_bias\" is set in adapter_config.json", "none");
        if (!config.has_biases) return;
        const bool has_bias = std::ranges::any_of(
            whole_, [](const Target& target) { return target.name.ends_with("bias"); });
        const bool has_one_in_base = std::ranges::any_of(additions_, [&](const Target& target) {
            return plain_.contains(renamed(target.name, chosen_) + ".bias");
        });
        if (!has_bias && has_one_in_base)
            source_.refuse("trained biases, because \"bias\" is set in adapter_config.json",
                           "none");
    }

    const TensorFile& base_;
    StoredTensors plain_;
    Source source_;
    std::vector<Target> additions_, whole_;
    Beginnings chosen_;
};

}  // namespace

std::int64_t rows_of(const StoredTensor& tensor) {
    return tensor.shape.empty() ? 0 : tensor.shape[0];
}

std::int64_t row_length(const StoredTensor& tensor) {
    const std::int64_t rows = rows_of(tensor);
    return rows > 0 ? static_cast<std::int64_t>(tensor.count()) / rows : 0;
}

const StoredTensors::value_type* weight_of_module(const StoredTensors& base,
                                                  const std::string& module) {
    for (const char* ending : {".weight", ".in_proj_weight"})
        if (const auto found = base.find(module + ending); found != base.end()) return &*found;
    return nullptr;
}

std::optional<Adapter> adapter_beside(const TensorFile& base, const FileReader& read,
                                      const LoraConfig& config,
                                      const std::optional<std::string>& part,
                                      const StopFlag& stop) {
    const std::string path = beside(base.name(), kAdapter);
    if (path == base.name()) return {};
    StoredTensors tensors;
    try {
        tensors = safetensors_entries(read(path), path, stop);
    } catch (const FileMissing&) {
        return {};
    }
    const TensorFile file(path, std::move(tensors), stop);
    const StoredTensors own = with_plain_names(without_wrappers(file).file.tensors());
    return Placement(base, path, own).place(config, part);
}

}  // namespace headlight

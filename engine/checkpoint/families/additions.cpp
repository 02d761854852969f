#include "families/additions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "files/error.h"
#include "files/safetensors.h"
#include "kernels/matrix.h"

namespace headlight {

namespace {

constexpr const char* kAdapter = "adapter_model.safetensors";
const std::string kPeft = "base_model.model.";

std::vector<std::string> split(const std::string& name) {
    std::vector<std::string> parts(1);
    for (const char c : name)
        if (c == '.' || c == '/')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// ---- names

// Removes every "base_layer." and takes the trained copy of a module for the original one.
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

// ---- numbers

Matrix matrix_of(const StoredTensor& tensor, Index rows, const StopFlag& stop) {
    const auto count = static_cast<Index>(tensor.count());
    Matrix numbers(rows, rows > 0 ? count / rows : 0);
    if (numbers.size() != count) return Matrix(0, 0);
    to_floats(tensor, numbers.data(), stop);
    return numbers;
}

StoredTensor stored(const Matrix& numbers, const std::vector<std::int64_t>& shape) {
    Bytes bytes(static_cast<std::size_t>(numbers.size()) * sizeof(float));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return {shape, "F32", FileBytes(std::move(bytes))};
}

Index rows_of(const StoredTensor& tensor) {
    return tensor.shape.empty() ? 0 : static_cast<Index>(tensor.shape[0]);
}

// Numbers in each row; 0 where there is none.
Index row_length(const StoredTensor& tensor) {
    const Index rows = rows_of(tensor);
    return rows > 0 ? static_cast<Index>(tensor.count()) / rows : 0;
}

// ---- additions of one product

// Tensors of `module` by what they are: "lora_A", "lora_B", "ia3_l", ...
struct Parts {
    std::map<std::string, std::string> tensors;  // their names
    std::set<std::string> adapters;              // "default"
};
using Modules = std::map<std::string, Parts>;

// "X.lora_A.default.weight", "X.lora_A.weight", "X.ia3_l.default", "X.lora_down.weight", "X.alpha".
void sort_in(const std::string& name, Modules& modules) {
    static const std::set<std::string> kinds{"lora_A", "lora_B",    "lora_magnitude_vector",
                                             "ia3_l",  "lora_down", "lora_up"};
    const std::vector<std::string> parts = split(name);
    std::string module;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!kinds.contains(parts[i])) {
            module += (i == 0 ? "" : ".") + parts[i];
            continue;
        }
        std::vector<std::string> rest(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      parts.end());
        const bool weight = !rest.empty() && rest.back() == "weight";
        if (weight) rest.pop_back();
        const bool of_matrix = parts[i].starts_with("lora_") && parts[i] != "lora_magnitude_vector";
        if (rest.size() > 1 || (of_matrix && !weight)) return;  // left over, and refused by name
        Parts& found = modules[module];
        found.adapters.insert(rest.empty() ? "" : rest[0]);
        found.tensors.emplace(parts[i], name);
        return;
    }
}

// Everything that one merge needs.
class Merger {
  public:
    Merger(std::string file, StoredTensors tensors, const Decisions& decisions, StopFlag stop)
        : source_(std::move(file)), tensors_(std::move(tensors)), stop_(std::move(stop)) {
        for (const ModelConfig& config : decisions.rising()) {
            if (config.lora.alpha) alpha_ = Decided<float>{*config.lora.alpha, config.name};
            if (config.lora.by_root) by_root_ = *config.lora.by_root;
            for (const auto& [module, alpha] : config.lora.alphas) alphas_[module] = alpha;
        }
    }

    void merge_all() {
        Modules modules;
        for (const auto& [name, tensor] : tensors_) sort_in(name, modules);
        const bool alone = std::ranges::none_of(
            modules, [&](const auto& entry) { return tensors_.contains(entry.first + ".weight"); });
        if (alone) return;  // no model is there, which its readers say
        for (const auto& [module, parts] : modules) {
            throw_if_stopped(stop_);
            expect_one_adapter(module, parts);
            const auto& found = parts.tensors;
            if (found.contains("lora_A") && found.contains("lora_B"))
                add_product(module, parts, "lora_A", "lora_B");
            else if (found.contains("lora_down") && found.contains("lora_up"))
                add_product(module, parts, "lora_down", "lora_up");
            if (found.contains("ia3_l")) scale(module, found.at("ia3_l"));
        }
    }

    StoredTensors take() { return std::move(tensors_); }

    void report(std::vector<ModelFact>& facts, std::vector<std::string>& warnings) const {
        if (products_ > 0) {
            std::string scales;
            for (const float one : scales_) scales += (scales.empty() ? "" : ", ") + number(one);
            facts.push_back({"additions",
                             kind_ + " in " + std::to_string(products_) + " products, scale " +
                                 scales + ", merged",
                             origin_});
        }
        if (assumed_)
            warnings.push_back(
                source_.name() +
                ": the scale of LoRA's additions is not in the file. Headlight took 1 (lora_alpha "
                "equal to the rank); say \"lora_alpha\" in adapter_config.json or --config if it "
                "is "
                "another.");
        if (scaled_ > 0)
            facts.push_back({"additions", "IA³ in " + std::to_string(scaled_) + " products, merged",
                             "tensor names"});
    }

  private:
    static std::string number(float value) {
        std::array<char, 32> buffer{};
        (void)std::snprintf(buffer.data(), buffer.size(), "%g", static_cast<double>(value));
        return buffer.data();
    }

    void expect_one_adapter(const std::string& module, const Parts& parts) const {
        if (parts.adapters.size() < 2) return;
        std::string names;
        for (const std::string& name : parts.adapters)
            names += (names.empty() ? "" : ", ") + in_quotes(name);
        source_.refuse(module, "one adapter's additions", names);
    }

    StoredTensor& weight_of(const std::string& module, const std::string& addition) {
        const auto found = tensors_.find(module + ".weight");
        if (found == tensors_.end())
            source_.refuse(module + ".weight",
                           "the weight that " + in_quotes(addition) + " adds to", "none");
        for (const std::string& name : {found->first, addition})
            if (const std::string& type = tensors_.at(name).type; !is_floating_point(type))
                source_.refuse(name, "floating point numbers", type + ", as quantized weights are");
        return found->second;
    }

    // alpha / rank, or what the file or a config says instead.
    float scale_of(const std::string& module, float rank) {
        const auto own = tensors_.find(module + ".alpha");
        std::optional<float> alpha;
        if (own != tensors_.end() && own->second.count() == 1) {
            float value = 0;
            to_floats(own->second, &value, stop_);
            alpha = value;
            origin_ = "alpha in the file";
            tensors_.erase(own);
        } else if (alpha_) {
            alpha = alpha_->value;
            origin_ = alpha_->origin;
            for (const auto& [ending, value] : alphas_)
                if (module == ending || module.ends_with("." + ending)) alpha = value;
        }
        if (!alpha) {
            assumed_ = true;
            origin_ = "assumed: lora_alpha equal to the rank; set lora_alpha to change it";
            return 1;
        }
        return by_root_ ? *alpha / std::sqrt(rank) : *alpha / rank;
    }

    // W + scale·B·A; with a magnitude m for each output m·(W + scale·B·A) / ‖W + scale·B·A‖.
    void add_product(const std::string& module, const Parts& parts, const std::string& first,
                     const std::string& second) {
        const std::string down_name = parts.tensors.at(first), up_name = parts.tensors.at(second);
        StoredTensor& weight = weight_of(module, down_name);
        const StoredTensor &down = tensors_.at(down_name), &up = tensors_.at(up_name);
        const Index rank = rows_of(down), outputs = rows_of(up);
        const bool fits = outputs > 0 && outputs == rows_of(weight) && row_length(up) == rank &&
                          rank > 0 && row_length(down) == row_length(weight);
        if (!fits)
            source_.refuse(down_name,
                           "two matrices whose product has the shape " + shape_text(weight.shape) +
                               " of the weight",
                           shape_text(down.shape) + " and " + shape_text(up.shape));
        const float scale = scale_of(module, static_cast<float>(rank));
        const Matrix addition = matrix_of(up, outputs, stop_) * matrix_of(down, rank, stop_);
        Matrix sum = matrix_of(weight, outputs, stop_) + scale * addition;
        kind_ = by_root_ ? "rsLoRA" : "LoRA";
        if (const auto magnitude = parts.tensors.find("lora_magnitude_vector");
            magnitude != parts.tensors.end())
            renorm(magnitude->second, sum);
        weight = stored(sum, weight.shape);
        scales_.insert(scale);
        ++products_;
        tensors_.erase(down_name);
        tensors_.erase(up_name);
    }

    void renorm(const std::string& magnitude, Matrix& weight) {
        const StoredTensor& stored_magnitude = tensors_.at(magnitude);
        if (stored_magnitude.count() != static_cast<std::size_t>(weight.rows()))
            source_.refuse(magnitude, std::to_string(weight.rows()) + " magnitudes",
                           shape_text(stored_magnitude.shape));
        const Matrix wanted = matrix_of(stored_magnitude, 1, stop_);
        for (Index row = 0; row < weight.rows(); ++row)
            weight.row(row) *= wanted(0, row) / weight.row(row).norm();
        kind_ = "DoRA";
        tensors_.erase(magnitude);
    }

    // IA³: outputs [out, 1], with the bias, or inputs [1, in] times a learned number.
    void scale(const std::string& module, const std::string& name) {
        StoredTensor& weight = weight_of(module, name);
        const StoredTensor& factors = tensors_.at(name);
        const Index outputs = rows_of(weight);
        Matrix numbers = matrix_of(weight, outputs, stop_);
        const Matrix by = matrix_of(factors, 1, stop_);
        const bool is_matrix = weight.shape.size() == 2 && factors.shape.size() == 2;
        if (is_matrix && factors.shape[1] == 1 && by.size() == outputs) {
            numbers = by.transpose().asDiagonal() * numbers;
            if (const auto bias = tensors_.find(module + ".bias"); bias != tensors_.end()) {
                const Matrix own = matrix_of(bias->second, 1, stop_);
                bias->second = stored(Matrix(own.cwiseProduct(by)), bias->second.shape);
            }
        } else if (is_matrix && factors.shape[0] == 1 && by.size() == numbers.cols()) {
            numbers = numbers * by.row(0).transpose().asDiagonal();
        } else {
            source_.refuse(name, "a factor for each output or input of " + shape_text(weight.shape),
                           shape_text(factors.shape));
        }
        weight = stored(numbers, weight.shape);
        ++scaled_;
        tensors_.erase(name);
    }

    Source source_;
    StoredTensors tensors_;
    StopFlag stop_;
    std::optional<Decided<float>> alpha_;
    std::map<std::string, float> alphas_;
    bool by_root_ = false, assumed_ = false;
    int products_ = 0, scaled_ = 0;
    std::set<float> scales_;
    std::string kind_, origin_;
};

// The tensors of adapter_model.safetensors beside the file, under the model's own names. Its names
// begin with "base_model.model."; the model's may have a prefix of their own.
std::optional<StoredTensors> adapter_beside(const TensorFile& file, const FileReader& read,
                                            const StopFlag& stop) {
    const std::string path = beside(file.name(), kAdapter);
    if (path == file.name()) return {};
    StoredTensors tensors;
    try {
        tensors = safetensors_entries(read(path), path, stop);
    } catch (const FileMissing&) {
        return {};
    }
    StoredTensors own;
    for (auto& [name, tensor] : tensors) {
        const bool peft = name.starts_with(kPeft);
        const std::string inner = peft ? name.substr(kPeft.size()) : name;
        own.emplace(inner, std::move(tensor));
    }
    return own;
}

// ---- what is left

// Whether the words of a component, between "_" and before digits, hold one.
bool has_word(const std::string& component, std::string_view word) {
    std::string lower;
    for (const char c : component)
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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

std::optional<std::string> kind_of(const std::string& name) {
    struct Kind {
        std::string_view word, kind;
    };
    constexpr std::array kKinds{
        Kind{"lora", "LoRA"},        Kind{"loras", "LoRA"},          Kind{"dora", "DoRA"},
        Kind{"hada", "LoHa"},        Kind{"loha", "LoHa"},           Kind{"lokr", "LoKr"},
        Kind{"ia3", "IA³"},          Kind{"vera", "VeRA"},           Kind{"oft", "OFT"},
        Kind{"boft", "BOFT"},        Kind{"adapter", "adapter"},     Kind{"adapters", "adapter"},
        Kind{"adaptmlp", "adapter"}, Kind{"adaptformer", "adapter"}, Kind{"prompt", "prompt"},
        Kind{"prompts", "prompt"},   Kind{"vpt", "prompt"}};
    for (const std::string& component : split(name))
        for (const auto& [word, kind] : kKinds) {
            // Encoders of what a person points at (SAM's) are no prompts themselves.
            const bool encodes = has_word(component, "encoder") || has_word(component, "decoder");
            if (has_word(component, word) && !encodes) return std::string(kind);
        }
    return {};
}

}  // namespace

namespace {

// Where a config speaks of additions, they may lie beside the file in a form that is not read.
Merged without_additions(TensorFile file, const Decisions& decisions) {
    std::vector<std::string> warnings;
    for (const ModelConfig& config : decisions.rising())
        if (config.lora.alpha || config.lora.by_root)
            warnings.push_back(file.name() + ": " + config.name +
                               " describes additions (LoRA), but the file has none, and neither is "
                               "there an " +
                               kAdapter + " beside it. This is the model without them.");
    return {std::move(file), {}, std::move(warnings)};
}

}  // namespace

Merged merge_additions(TensorFile file, const FileReader& read, const Decisions& decisions,
                       const StopFlag& stop) {
    const auto has = [&](std::string_view word) {
        return std::ranges::any_of(file.tensors(), [&](const auto& entry) {
            return entry.first.find(word) != std::string::npos;
        });
    };
    auto adapter = adapter_beside(file, read, stop);
    const bool any = has("lora_") || has("ia3_l") || has("base_layer.") || has("modules_to_save.");
    if (!adapter && !any) return without_additions(std::move(file), decisions);
    StoredTensors tensors = with_plain_names(file.tensors());
    std::vector<ModelFact> facts;
    std::vector<std::string> warnings;
    if (adapter) {
        for (auto& [name, tensor] : *adapter) tensors[name] = std::move(tensor);
        tensors = with_plain_names(tensors);
        facts.push_back({"additions", kAdapter, "beside the model"});
        warnings.push_back(file.name() + ": " + kAdapter +
                           " lies beside it, and its additions are part of the model here.");
    }
    Merger merger(file.name(), std::move(tensors), decisions, stop);
    merger.merge_all();
    merger.report(facts, warnings);
    return {TensorFile(file.name(), merger.take(), stop), std::move(facts), std::move(warnings)};
}

std::vector<Addition> additions_in(const TensorFile& file) {
    std::vector<Addition> found;
    for (const auto& [name, tensor] : file.tensors())
        if (auto kind = kind_of(name)) found.push_back({name, std::move(*kind)});
    return found;
}

}  // namespace headlight

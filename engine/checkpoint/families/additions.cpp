#include "families/additions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "families/adapter.h"
#include "families/addition_names.h"
#include "files/error.h"
#include "kernels/counted.h"
#include "kernels/matrix.h"

namespace headlight {

namespace {

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

// ---- additions to one linear layer

// Tensors of `module` by role: "lora_A", "lora_B", "ia3_l", ...
struct Parts {
    std::map<std::string, std::string> tensors;  // their names
    std::set<std::string> adapters;              // "default"
};
using Modules = std::map<std::string, Parts>;

void sort_in(const std::string& tensor, Modules& modules) {
    const auto name = addition_name(tensor);
    if (!name) return;  // remains in the file; refused later by name if it is an addition
    Parts& found = modules[name->module];
    found.adapters.insert(name->adapter);
    found.tensors.emplace(name->part, tensor);
}

// The settings for additions from all configs.
struct Settings {
    LoraConfig lora;
    std::string origin;  // of alpha
};

Settings settings_of(const Decisions& decisions) {
    Settings all;
    for (const ModelConfig& config : decisions.rising()) {
        const LoraConfig& lora = config.lora;
        if (lora.is_adapter) {
            const auto alpha = all.lora.alpha;
            const auto by_root = all.lora.by_root;
            all.lora = lora;
            if (alpha && (!lora.alpha || lora.is_usual_alpha)) all.lora.alpha = alpha;
            if (!lora.by_root) all.lora.by_root = by_root;
            if (!lora.alpha || (alpha && lora.is_usual_alpha)) continue;
        } else if (lora.alpha) {
            all.lora.alpha = lora.alpha;
            all.lora.is_usual_alpha = false;
            all.lora.alphas.clear();  // overrides the settings of single modules
        }
        if (lora.by_root) all.lora.by_root = lora.by_root;
        if (lora.alpha)
            all.origin = lora.is_usual_alpha
                             ? "peft's default lora_alpha, because " + config.name + " has none"
                             : config.name;
    }
    return all;
}

// The state of one merge.
class Merger {
  public:
    Merger(std::string file, StoredTensors tensors, Settings settings,
           const std::optional<Adapter>& adapter, StopFlag stop)
        : source_(std::move(file)),
          tensors_(std::move(tensors)),
          settings_(std::move(settings)),
          stop_(std::move(stop)) {
        if (!adapter) return;
        adapter_ = Source(adapter->path);
        own_names_ = adapter->own_names;
    }

    void merge_all() {
        Modules modules;
        for (const auto& [name, tensor] : tensors_) sort_in(name, modules);
        const bool alone = std::ranges::none_of(
            modules, [&](const auto& entry) { return weight_of_module(tensors_, entry.first); });
        if (alone) return;  // there is no model; its reader reports that
        if (!modules.empty() && !settings_.lora.not_followed.empty())
            throw CheckpointError(settings_.lora.not_followed);
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
            facts.push_back(
                {"additions",
                 kind_ + " in " + counted(products_, "weight") + ", scale " + scales + ", merged",
                 origin_});
        }
        if (products_ > 0 && settings_.lora.is_usual_alpha)
            warnings.push_back(source_.name() +
                               ": adapter_config.json has no lora_alpha. Headlight uses 8, as peft "
                               "does. Set another value there or in --config.");
        if (assumed_)
            warnings.push_back(source_.name() +
                               ": the file does not give the scale of the LoRA weights. Headlight "
                               "uses 1 (lora_alpha equal to the rank). If that is wrong, set "
                               "\"lora_alpha\" in adapter_config.json or --config.");
        if (scaled_ > 0)
            facts.push_back(
                {"additions", "IA³ in " + counted(scaled_, "weight") + ", merged", "tensor names"});
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
        source_.refuse(module, "the weights of one adapter", names);
    }

    // Uses the tensor's name in its own file.
    [[noreturn]] void refuse(const std::string& tensor, const std::string& expected,
                             const std::string& found) const {
        const auto own = own_names_.find(tensor);
        if (own == own_names_.end()) source_.refuse(tensor, expected, found);
        adapter_.refuse(own->second, expected, found);
    }

    // The name in training, which alpha_pattern and rank_pattern refer to.
    [[nodiscard]] std::string module_in_training(const std::string& tensor) const {
        const auto own = own_names_.find(tensor);
        const std::string& name = own == own_names_.end() ? tensor : own->second;
        return addition_name(name.starts_with(kPeft) ? name.substr(kPeft.size()) : name)->module;
    }

    template <typename T>
    std::optional<T> said_of(const std::map<std::string, T>& pattern, const char* key,
                             const std::string& tensor) const {
        std::optional<T> said;
        const std::string module = module_in_training(tensor);
        for (const auto& [ending, value] : pattern) {
            if (!fits_module(ending, module)) continue;
            if (said && *said != value)
                refuse(tensor, "one matching value in " + in_quotes(key), "several");
            said = value;
        }
        return said;
    }

    // Checks the rank against the configs.
    void expect_rank(const std::string& tensor, Index rank) const {
        const LoraConfig& lora = settings_.lora;
        const auto own = said_of(lora.ranks, "rank_pattern", tensor);
        const auto expected = own ? own : lora.rank;
        if (!expected || *expected == rank) return;
        refuse(tensor,
               "rank " + std::to_string(*expected) + ", as " +
                   (own ? "\"rank_pattern\"" : "\"r\"") + " in adapter_config.json says",
               std::to_string(rank));
    }

    void expect_magnitudes(const std::string& tensor, bool has_magnitudes) const {
        const auto expected = settings_.lora.has_magnitudes;
        if (!expected || *expected == has_magnitudes) return;
        refuse(tensor,
               *expected
                   ? "a lora_magnitude_vector for it, because \"use_dora\" in adapter_config.json "
                     "is true"
                   : "no lora_magnitude_vector for it, because \"use_dora\" in adapter_config.json "
                     "is false",
               *expected ? "none" : "one");
    }

    StoredTensor& weight_of(const std::string& module, const std::string& addition) {
        const auto* found = weight_of_module(tensors_, module);
        if (!found)
            source_.refuse(module + ".weight",
                           "the weight that " + in_quotes(addition) + " adds to", "none");
        for (const std::string& name : {found->first, addition})
            if (const std::string& type = tensors_.at(name).type; !is_floating_point(type))
                refuse(name, "floating point numbers", type + " (quantized)");
        return tensors_.at(found->first);
    }

    // alpha / rank, or the value in the file or in a config.
    float scale_of(const std::string& module, const std::string& tensor, float rank) {
        const auto own = tensors_.find(module + ".alpha");
        std::optional<float> alpha;
        if (own != tensors_.end() && own->second.count() == 1) {
            float value = 0;
            to_floats(own->second, &value, stop_);
            alpha = value;
            origin_ = "alpha in the file";
            tensors_.erase(own);
        } else {
            alpha = said_of(settings_.lora.alphas, "alpha_pattern", tensor);
            if (!alpha) alpha = settings_.lora.alpha;
            origin_ = settings_.origin;
        }
        if (!alpha) {
            assumed_ = true;
            origin_ = "assumed: lora_alpha equal to the rank; set lora_alpha to change it";
            return 1;
        }
        return is_by_root() ? *alpha / std::sqrt(rank) : *alpha / rank;
    }

    [[nodiscard]] bool is_by_root() const { return settings_.lora.by_root.value_or(false); }

    // Adds a bias of B (peft's lora_bias), scaled as B is.
    void add_bias(const std::string& module, const std::string& name, float scale) {
        const auto bias = tensors_.find(module + ".bias");
        const StoredTensor& added = tensors_.at(name);
        if (bias == tensors_.end() || bias->second.count() != added.count())
            refuse(name, "the shape of the bias that it adds to", shape_text(added.shape));
        bias->second =
            stored(Matrix(matrix_of(bias->second, 1, stop_) + scale * matrix_of(added, 1, stop_)),
                   bias->second.shape);
        tensors_.erase(name);
    }

    // W + scale·B·A; with a magnitude m per output: m·(W + scale·B·A) / ‖W + scale·B·A‖.
    void add_product(const std::string& module, const Parts& parts, const std::string& first,
                     const std::string& second) {
        const std::string down_name = parts.tensors.at(first), up_name = parts.tensors.at(second);
        StoredTensor& weight = weight_of(module, down_name);
        const StoredTensor &down = tensors_.at(down_name), &up = tensors_.at(up_name);
        const Index rank = rows_of(down), outputs = rows_of(up);
        const bool fits = outputs > 0 && outputs == rows_of(weight) && row_length(up) == rank &&
                          rank > 0 && row_length(down) == row_length(weight);
        if (!fits)
            refuse(down_name,
                   "two matrices whose product has the shape " + shape_text(weight.shape) +
                       " of the weight",
                   shape_text(down.shape) + " and " + shape_text(up.shape));
        const auto magnitude = parts.tensors.find("lora_magnitude_vector");
        const bool has_magnitude = magnitude != parts.tensors.end();
        expect_rank(down_name, rank);
        expect_magnitudes(down_name, has_magnitude);
        const float scale = scale_of(module, down_name, static_cast<float>(rank));
        const Matrix addition = matrix_of(up, outputs, stop_) * matrix_of(down, rank, stop_);
        Matrix sum = matrix_of(weight, outputs, stop_) + scale * addition;
        kind_ = is_by_root() ? "rsLoRA" : "LoRA";
        if (has_magnitude) renorm(magnitude->second, sum);
        const auto bias = parts.tensors.find("lora_B.bias");
        if (bias != parts.tensors.end() && !has_magnitude) add_bias(module, bias->second, scale);
        weight = stored(sum, weight.shape);
        scales_.insert(scale);
        ++products_;
        tensors_.erase(down_name);
        tensors_.erase(up_name);
    }

    void renorm(const std::string& magnitude, Matrix& weight) {
        const StoredTensor& stored_magnitude = tensors_.at(magnitude);
        if (stored_magnitude.count() != static_cast<std::size_t>(weight.rows()))
            refuse(magnitude, std::to_string(weight.rows()) + " magnitudes",
                   shape_text(stored_magnitude.shape));
        const Matrix wanted = matrix_of(stored_magnitude, 1, stop_);
        for (Index row = 0; row < weight.rows(); ++row)
            weight.row(row) *= wanted(0, row) / weight.row(row).norm();
        kind_ = "DoRA";
        tensors_.erase(magnitude);
    }

    // IA³: multiplies outputs [out, 1], including the bias, or inputs [1, in] by learned factors.
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
            refuse(name, "a factor for each output or input of " + shape_text(weight.shape),
                   shape_text(factors.shape));
        }
        weight = stored(numbers, weight.shape);
        ++scaled_;
        tensors_.erase(name);
    }

    Source source_, adapter_{""};
    std::map<std::string, std::string> own_names_;  // names of the adapter's tensors in its file
    StoredTensors tensors_;
    Settings settings_;
    StopFlag stop_;
    bool assumed_ = false;
    int products_ = 0, scaled_ = 0;
    std::set<float> scales_;
    std::string kind_, origin_;
};

// If a config mentions additions, they may be next to the file in an unsupported form.
Merged without_additions(TensorFile file, const Decisions& decisions) {
    std::vector<std::string> warnings;
    for (const ModelConfig& config : decisions.rising())
        if (config.lora.alpha || config.lora.by_root || config.lora.is_adapter)
            warnings.push_back(file.name() + ": " + config.name +
                               " describes an adapter, but its weights are missing: they are "
                               "neither in this file nor in an " +
                               kAdapter +
                               " next to it. Headlight opened the model without the adapter.");
    return {std::move(file), {}, std::move(warnings), {}};
}

}  // namespace

Merged merge_additions(TensorFile file, const FileReader& read, const Decisions& decisions,
                       const std::optional<std::string>& part, const StopFlag& stop) {
    const auto has = [&](std::string_view word) {
        return std::ranges::any_of(file.tensors(), [&](const auto& entry) {
            return entry.first.find(word) != std::string::npos;
        });
    };
    Settings settings = settings_of(decisions);
    const auto adapter = adapter_beside(file, read, settings.lora, part, stop);
    const bool any = has("lora_") || has("ia3_l") || has("base_layer.") || has("modules_to_save.");
    if (!adapter && !any) return without_additions(std::move(file), decisions);
    StoredTensors tensors = with_plain_names(file.tensors());
    std::vector<ModelFact> facts;
    std::vector<std::string> warnings, changed;
    if (adapter) {
        for (const auto& [name, tensor] : adapter->tensors) {
            tensors[name] = tensor;
            changed.push_back(name);
        }
        facts.push_back({"additions", kAdapter, "in the folder of the model"});
        if (!adapter->renamed.empty())
            facts.push_back({"names of the adapter", adapter->renamed, "names and shapes"});
        warnings.push_back(file.name() + ": " + kAdapter +
                           " is in the same folder, so Headlight merged it into the model.");
    }
    Merger merger(file.name(), std::move(tensors), std::move(settings), adapter, stop);
    merger.merge_all();
    merger.report(facts, warnings);
    return {TensorFile(file.name(), merger.take(), stop), std::move(facts), std::move(warnings),
            std::move(changed)};
}

std::vector<Addition> additions_in(const TensorFile& file) {
    std::vector<Addition> found;
    for (const auto& [name, tensor] : file.tensors())
        if (auto kind = addition_kind(name)) found.push_back({name, std::move(*kind)});
    return found;
}

}  // namespace headlight

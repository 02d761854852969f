#include "families/reparametrized.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/side_parts.h"

namespace headlight {

namespace {

using Numbers = std::vector<float>;

Numbers numbers_of(const StoredTensor& tensor, const StopFlag& stop) {
    Numbers numbers(tensor.count());
    to_floats(tensor, numbers.data(), stop);
    return numbers;
}

StoredTensor stored(const Numbers& numbers, const std::vector<std::int64_t>& shape) {
    Bytes bytes(numbers.size() * sizeof(float));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return {shape, "F32", FileBytes(std::move(bytes))};
}

// For each number of a tensor of `shape`, the index in a tensor of shape `of`, which is repeated
// along its extents of 1.
std::vector<std::size_t> slices(const std::vector<std::int64_t>& shape,
                                const std::vector<std::int64_t>& of) {
    std::size_t count = 1;
    for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t rest = i, place = 0, stride = 1;
        for (std::size_t d = shape.size(); d-- > 0;) {
            const auto extent = static_cast<std::size_t>(shape[d]);
            if (!of.empty() && of[d] != 1) place += (rest % extent) * stride;
            if (!of.empty()) stride *= static_cast<std::size_t>(of[d]);
            rest /= extent;
        }
        places[i] = place;
    }
    return places;
}

// g of weight norm: a number per slice along one dimension, or one for all.
bool are_lengths(const StoredTensor& g, const StoredTensor& v) {
    if (g.shape.empty()) return true;
    if (g.shape.size() != v.shape.size() || v.shape.size() < 2) return false;
    int kept = 0;
    for (std::size_t d = 0; d < g.shape.size(); ++d) {
        if (g.shape[d] != 1 && g.shape[d] != v.shape[d]) return false;
        kept += g.shape[d] != 1 ? 1 : 0;
    }
    return kept <= 1;
}

std::optional<StoredTensor> weight_norm(const StoredTensor& g, const StoredTensor& v,
                                        const StopFlag& stop) {
    if (!are_lengths(g, v)) return {};
    Numbers numbers = numbers_of(v, stop);
    const Numbers lengths = numbers_of(g, stop);
    const std::vector<std::size_t> places = slices(v.shape, g.shape);
    std::vector<double> squares(lengths.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        squares[places[i]] += static_cast<double>(numbers[i]) * numbers[i];
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] =
            static_cast<float>(numbers[i] * (lengths[places[i]] / std::sqrt(squares[places[i]])));
    return stored(numbers, v.shape);
}

std::optional<StoredTensor> spectral_norm(const StoredTensor& weight, const StoredTensor& u,
                                          const StoredTensor& v, const StopFlag& stop) {
    const std::size_t rows = u.count(), cols = v.count();
    const bool fits = u.shape.size() == 1 && v.shape.size() == 1 && weight.shape.size() >= 2 &&
                      static_cast<std::size_t>(weight.shape[0]) == rows &&
                      weight.count() == rows * cols;
    if (!fits) return {};
    Numbers numbers = numbers_of(weight, stop);
    const Numbers left = numbers_of(u, stop), right = numbers_of(v, stop);
    double sigma = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sigma += static_cast<double>(left[i / cols]) * numbers[i] * right[i % cols];
    for (float& number : numbers) number = static_cast<float>(number / sigma);
    return stored(numbers, weight.shape);
}

std::optional<StoredTensor> pruned(const StoredTensor& weight, const StoredTensor& mask,
                                   const StopFlag& stop) {
    if (weight.shape != mask.shape) return {};
    Numbers numbers = numbers_of(weight, stop);
    const Numbers factors = numbers_of(mask, stop);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= factors[i];
    return stored(numbers, weight.shape);
}

// A form, and the endings of its parts' names after the weight's own name ("head.weight").
// Parametrizations keep the parts in a module of that name.
enum class Form { weight_norm, spectral_norm, pruning };
struct Ending {
    Form form;
    bool is_parametrization;
    std::vector<std::string> parts;
};
const std::vector<Ending>& endings() {
    static const std::vector<Ending> all{
        {Form::spectral_norm, false, {"_orig", "_u", "_v"}},
        {Form::pruning, false, {"_orig", "_mask"}},
        {Form::weight_norm, false, {"_g", "_v"}},
        {Form::spectral_norm, true, {".original", ".0._u", ".0._v"}},
        {Form::weight_norm, true, {".original0", ".original1"}}};
    return all;
}

constexpr std::string_view kModule = "parametrizations.";

// The weight's own name, and the common prefix of its parts' names.
struct Names {
    std::string weight, begin;
};
std::optional<Names> names_by(const std::string& first, const Ending& ending) {
    const std::string& end = ending.parts.front();
    if (!first.ends_with(end)) return {};
    Names names{first.substr(0, first.size() - end.size()), {}};
    names.begin = names.weight;
    if (!names.weight.ends_with("weight") && !names.weight.ends_with("bias")) return {};
    if (!ending.is_parametrization) return names;
    const std::size_t at = names.weight.rfind(kModule);
    if (at == std::string::npos || (at > 0 && names.weight[at - 1] != '.')) return {};
    names.weight.erase(at, kModule.size());
    return names;
}

std::size_t count_beginning(const StoredTensors& tensors, const std::string& begin) {
    std::size_t count = 0;
    for (auto at = tensors.lower_bound(begin); at != tensors.end() && at->first.starts_with(begin);
         ++at)
        ++count;
    return count;
}

std::optional<StoredTensor> product_of(const StoredTensors& tensors, const Names& names,
                                       const Ending& ending, const StopFlag& stop) {
    std::vector<const StoredTensor*> parts;
    for (const std::string& part : ending.parts) {
        const auto found = tensors.find(names.begin + part);
        if (found == tensors.end()) return {};
        parts.push_back(&found->second);
    }
    const bool is_mask = ending.form == Form::pruning;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (!is_floating_point(parts[i]->type) && !(is_mask && i == 1)) return {};
    // Other tensors in its module mean a chain of parametrizations.
    if (ending.is_parametrization &&
        count_beginning(tensors, names.begin + ".") != ending.parts.size())
        return {};
    switch (ending.form) {
        case Form::weight_norm:
            return weight_norm(*parts[0], *parts[1], stop);
        case Form::spectral_norm:
            return spectral_norm(*parts[0], *parts[1], *parts[2], stop);
        case Form::pruning:
            return pruned(*parts[0], *parts[1], stop);
    }
    return {};
}

std::string words_of(Form form) {
    switch (form) {
        case Form::weight_norm:
            return "weight norm";
        case Form::spectral_norm:
            return "spectral norm";
        case Form::pruning:
            return "pruning masks";
    }
    return "";
}

bool is_of_dino(const std::string& name) { return name.find("last_layer.") != std::string::npos; }

}  // namespace

PlainWeights with_plain_weights(const TensorFile& file, const StopFlag& stop) {
    StoredTensors tensors = file.tensors();
    std::map<Form, std::vector<std::string>> found;
    for (const auto& [name, tensor] : file.tensors()) {
        if (is_of_dino(name)) continue;
        for (const Ending& ending : endings()) {
            const auto names = names_by(name, ending);
            if (!names || tensors.contains(names->weight)) continue;
            throw_if_stopped(stop);
            auto product = product_of(tensors, *names, ending, stop);
            if (!product) continue;
            for (const std::string& part : ending.parts) tensors.erase(names->begin + part);
            tensors.emplace(names->weight, std::move(*product));
            found[ending.form].push_back(names->weight);
            break;
        }
    }
    if (found.empty()) return {file, {}};
    std::vector<ModelFact> facts;
    for (const auto& [form, weights] : found)
        facts.push_back({"multiplied out",
                         words_of(form) + " of " + std::to_string(weights.size()) +
                             (weights.size() == 1 ? " tensor" : " tensors") + ": " +
                             weights.front() + (weights.size() > 1 ? ", ..." : ""),
                         "tensor names"});
    return {file.with(std::move(tensors)), std::move(facts)};
}

void expect_plain_weights(const TensorReader& at) {
    for (const std::string& name : at.names()) {
        if (!names_encoder_part(name.substr(0, name.find('.')))) continue;
        const bool is_parametrized =
            name.starts_with(kModule) || name.find("." + std::string(kModule)) != std::string::npos;
        const bool is_part =
            std::ranges::any_of(std::array{"_orig", "_g"}, [&](const std::string& end) {
                return (name.ends_with("weight" + end) || name.ends_with("bias" + end)) &&
                       !at.has(name.substr(0, name.size() - end.size()));
            });
        if (is_parametrized || is_part)
            at.refuse(
                name, "a weight as one tensor",
                is_parametrized
                    ? "a parametrization that Headlight does not compute. In Python, call "
                      "torch.nn.utils.parametrize.remove_parametrizations(module, "
                      "\"weight\") before you save"
                    : "only one part of it. In Python, call torch.nn.utils.prune.remove(module, "
                      "\"weight\") or torch.nn.utils.remove_weight_norm(module) before you save");
    }
}

}  // namespace headlight

#include "gradient/map_methods.h"

#include <algorithm>

#include "patches/token_words.h"
#include "program/values.h"

namespace headlight {

std::span<const MapMethodInfo> all_map_methods() {
    static constexpr auto rows = std::to_array<MapMethodInfo>({
        {MapMethod::last_attention, "attention",
         "attention of the last chosen layer, mean of the heads"},
        {MapMethod::rollout, "rollout",
         "product over the layers of (attention + identity) / 2, mean of the heads"},
        {MapMethod::attention_gradient, "attention × gradient",
         "positive part of attention × gradient in the last chosen layer"},
        {MapMethod::gradient_rollout, "gradient rollout",
         "rollout of attention × gradient, as vit-explain computes it"},
        {MapMethod::relevance, "relevance",
         "attention × gradient passed from layer to layer (Chefer et al. 2021)"},
        {MapMethod::legrad, "LeGrad",
         "positive part of attention's gradient; each layer has its own logit"},
        {MapMethod::grad_cam, "Grad-CAM", "Grad-CAM on the first norm of the last chosen layer"},
        {MapMethod::input_gradient, "input gradient",
         "sum of the absolute gradient over a patch's pixels"},
        {MapMethod::gradient_times_input, "gradient × input",
         "sum of pixel × gradient over a patch's pixels"},
        {MapMethod::integrated_gradients, "integrated gradients",
         "pixel × gradient, averaged on the path from the mean color to the picture"},
    });
    static_assert(rows_fit(rows, &MapMethodInfo::id, &MapMethodInfo::title, &MapMethodInfo::help));
    return rows;
}

const MapMethodInfo& info(MapMethod method) {
    return all_map_methods()[static_cast<std::size_t>(method)];
}

bool reads_attention(MapMethod method) {
    return starts_at_a_layer(method) || method == MapMethod::attention_gradient ||
           method == MapMethod::last_attention;
}

bool reads_layers(MapMethod method) {
    return reads_attention(method) || method == MapMethod::grad_cam;
}

bool starts_at_a_layer(MapMethod method) {
    using enum MapMethod;
    return method == rollout || method == gradient_rollout || method == relevance ||
           method == legrad;
}

bool asks_for_class(MapMethod method) {
    return method != MapMethod::rollout && method != MapMethod::last_attention;
}

std::vector<MapMethod> map_methods_named(const std::string& option, const std::string& text) {
    std::vector<MapMethod> methods;
    for (std::string name : words_of_list(text)) {
        std::ranges::replace(name, '-', '_');
        const auto method = value_named<MapMethod>(name);
        if (!method)
            refuse_value(option, "names such as relevance; headlight maps --help lists them", name);
        if (std::ranges::find(methods, *method) != methods.end())
            throw ValueError(option + ": expected each method once, found " + in_quotes(name) +
                             " twice.");
        methods.push_back(*method);
    }
    return methods;
}

std::string names_of(const std::vector<MapMethod>& methods) {
    std::string names;
    for (const MapMethod method : methods)
        names += (names.empty() ? "" : ",") + std::string(name_of(method));
    return names;
}

}  // namespace headlight

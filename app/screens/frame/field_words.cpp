#include "frame/field_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "frame/head_switch.h"

namespace headlight::screens {

namespace {

// Painted cells may be a long list, so only their presence is mentioned.
std::string without_cells(std::string_view rules) {
    const std::size_t painting = rules.find(info(MaskKind::blocked).name);
    if (painting == std::string_view::npos) return std::string(rules);
    return std::string(rules.substr(0, painting)) + "painted";
}

// Scores and softmax are changed in every layer; a whole model has many.
bool is_of_every_layer(const Field& field, const Trace& trace) {
    return !trace.model->is_bare_layer() &&
           (field.group == FieldGroup::scores || field.group == FieldGroup::mask);
}

}  // namespace

bool is_shown(const Field& field, const State& state, const Trace& trace) {
    const bool decided_by_file =
        field.applies_to == AppliesTo::drawn_layer && !state.recipe.weights.empty();
    if (!applies(field, trace) || decided_by_file) return false;
    const bool of_picture = field.group == FieldGroup::image || field.group == FieldGroup::patches;
    if (of_picture && !trace.image) return false;
    constexpr std::array groups{FieldGroup::model, FieldGroup::layer, FieldGroup::scores,
                                FieldGroup::mask, FieldGroup::positions};
    const bool of_layers = std::ranges::find(groups, field.group) != groups.end();
    // Attention maps without a model cannot be changed.
    if (of_layers && trace.model->is_maps() && field.applies_to != AppliesTo::attention_maps)
        return false;
    return field.is_shown(state, trace);
}

std::string label_of(const Field& field, const Trace& trace) {
    return std::string(field.label) + (is_of_every_layer(field, trace) ? " · every layer" : "");
}

std::string help_of(const Field& field, const Trace& trace) {
    std::string help(field.help);
    if (is_of_every_layer(field, trace)) help += " It is the same in every layer.";
    return field.help_here ? help + field.help_here(trace) : help;
}

float label_share(const Field& field) {
    return field.kind == FieldKind::toggle || field.name == "scale" ? 0.64F : 0.46F;
}

std::vector<std::string_view> options_of(const Field& field, const Trace& trace) {
    std::vector<std::string_view> options = field.options ? field.options(trace) : field.choices;
    // The button to return to the model's value is beside the label.
    if (field.of_model) std::erase(options, "model");
    return options;
}

std::string words_of(const FieldInfo& field, std::string_view option) {
    if (field.kind == FieldKind::rules) return without_cells(option);
    const auto found = std::ranges::find(field.labels, option, &Labels::value_type::first);
    return std::string(found == field.labels.end() ? option : found->second);
}

std::string change_in_words(const RecipeField& field, const Recipe& recipe, const Model& model) {
    if (!recipe.switched_off.empty() && field.name == "switched_off")
        return heads_off_in_words(recipe.switched_off, model);
    std::string label(field.label);
    // "Temperature" becomes lowercase within a sentence, but "QKV bias" does not.
    const bool word = label.size() > 1 && std::islower(static_cast<unsigned char>(label[1])) != 0;
    if (word) label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    std::string value = words_of(field, field.get(recipe));
    if (field.kind == FieldKind::toggle) value = value == "true" ? "on" : "off";
    return label + ' ' + value;
}

}  // namespace headlight::screens

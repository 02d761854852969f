#include "cli/attention_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/errors.h"
#include "cli/json.h"
#include "program/ordinals.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

constexpr const char* kSource = "--attention";

using Keys = std::vector<const RecipeField*>;

// Settings that apply to every layer come first.
Keys all_keys() {
    Keys keys;
    for (const RecipeField& field : recipe_fields())
        if (!field.option.empty()) keys.push_back(&field);
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto* a, const auto* b) { return a->scope < b->scope; });
    return keys;
}

// A whole model's `activation` cannot be set.
bool is_offered(const RecipeField& field, const Model& model) {
    return model.is_bare_layer() ? applies(field, model) : field.applies_to == AppliesTo::all;
}

std::string names_for(const Model& model) {
    std::string names;
    for (const RecipeField* key : all_keys())
        if (is_offered(*key, model))
            names += (names.empty() ? "" : ", ") + std::string(key->option);
    return names;
}

std::string_view scope_name(Scope scope) {
    switch (scope) {
        case Scope::layer:
            return "a layer";
        case Scope::patches:
            return "pixels or an image";
        case Scope::image:
            return "an image";
    }
    return "";
}

const RecipeField& find_key(const std::string& name, Scope scope, const Model& model) {
    const Keys keys = all_keys();
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](const auto* key) { return key->option == name; });
    if (found == keys.end())
        throw UsageError(
            fmt::format("{}: expected {}, found \"{}\".", kSource, names_for(model), name));
    const RecipeField& key = **found;
    if (!is_offered(key, model) && model.is_bare_layer())
        throw UsageError(
            fmt::format("{}: \"{}\": applies only to {}. You can change {}.", kSource, name,
                        key.applies_to == AppliesTo::order_of_norms
                            ? "torch.nn.TransformerEncoder, whose tensors do not determine it"
                            : "a layer with norms and an MLP, and this one has only attention",
                        names_for(model)));
    if (!is_offered(key, model))
        throw UsageError(
            fmt::format("{}: \"{}\": a whole model fixes this, so it can be set only for a single "
                        "attention layer. You can change {}.",
                        kSource, name, names_for(model)));
    if (key.scope > scope)
        throw UsageError(fmt::format("{}: \"{}\": applies only to {}, but the input is {}.",
                                     kSource, name, scope_name(key.scope),
                                     scope == Scope::layer ? "tokens" : "pixels"));
    return key;
}

// The field's text for a JSON value. The text for "as in the model" is not accepted, because
// leaving the key out means that.
std::string text_of(const JsonValue& value, const FieldInfo& field) {
    switch (field.kind) {
        case FieldKind::integer:
            return std::to_string(value.whole_number(field.low < 1 ? 0 : 1));
        case FieldKind::number:
            return number_text(value.number());
        case FieldKind::optional_number: {
            const std::optional<float> number = value.number_or_null();
            return number ? number_text(*number) : std::string(field.unset);
        }
        case FieldKind::choice: {
            std::vector<std::string_view> names = field.choices;
            if (!field.unset.empty()) names.pop_back();
            return value.choice(names);
        }
        case FieldKind::rules:
            return value.rules();
        case FieldKind::structure:  // heads, as LAYER.HEAD
            return value.words();
        default:
            throw std::logic_error(std::string(field.name) + " cannot be written in JSON");
    }
}

// What a field refuses was said in this option. The model says which heads there are, unless its
// file leaves that open.
void put(Recipe& recipe, const RecipeField& field, const std::string& text, const Model& model) {
    try {
        if (field.kind == FieldKind::structure && model.heads_are_known)
            recipe.switched_off = parse_heads(field.name, text, &model);
        else
            field.put(recipe, text);
    } catch (const ValueError& error) {
        throw UsageError(fmt::format("{}: {}", kSource, error.what()));
    }
}

void say(Recipe& recipe, const RecipeField& field, const JsonValue& value, const Model& model) {
    if (field.parts.empty()) return put(recipe, field, text_of(value, field), model);
    const auto [height, width] = value.height_and_width();
    find_field(recipe_fields(), field.parts[0])->put(recipe, std::to_string(height));
    find_field(recipe_fields(), field.parts[1])->put(recipe, std::to_string(width));
}

// A value under its key, and the members of an object: for {"kind": "sinusoidal", "base": 100}
// under "positions" these are "positions" and "positions.base".
std::vector<std::pair<std::string, const Json*>> with_members(const std::string& key,
                                                              const Json& value) {
    const Keys keys = all_keys();
    const bool has_members = std::ranges::any_of(
        keys, [&](const auto* field) { return field->option.starts_with(key + "."); });
    if (!value.is_object() || !has_members) return {{key, &value}};
    std::vector<std::pair<std::string, const Json*>> members;
    for (const auto& item : value.items())
        members.emplace_back(item.key() == "kind" ? key : key + "." + item.key(), &item.value());
    return members;
}

Recipe unsaid(const Model& model) {
    Recipe recipe;
    if (!model.is_bare_layer()) return recipe;
    recipe.position.kind = PositionKind::none;
    recipe.scale = model.layers.front().attention.scale;
    return recipe;
}

}  // namespace

Recipe parse_attention(const std::string& text, Scope scope, const Model& model) {
    Recipe recipe = unsaid(model);
    if (text.empty()) return recipe;
    if (model.is_maps())
        throw UsageError(
            std::string(kSource) +
            ": expected a model that computes attention, found attention maps. Leave it out.");
    const Json object = parse_object(text, kSource);
    for (const auto& item : object.items())
        for (const auto& [key, value] : with_members(item.key(), item.value()))
            say(recipe, find_key(key, scope, model), {*value, kSource, key}, model);
    return recipe;
}

}  // namespace headlight::cli

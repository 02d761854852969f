#include "state/changes.h"

#include <algorithm>
#include <string>

#include "state/state.h"

namespace headlight {

namespace {

// For a layer from a file, the settings of a randomly initialized layer have no effect.
bool means_something(const RecipeField& field, const Recipe& recipe, const Trace& trace) {
    const bool of_file = field.applies_to == AppliesTo::drawn_layer && !recipe.weights.empty();
    return applies(field, trace) && !of_file && field.is_shown(recipe, trace);
}

// Another kind of positions has another default base, which is no change by the user.
bool is_usual_base(const RecipeField& field, const Recipe& recipe) {
    const float usual = info(recipe.position.kind).takes.base;
    return field.name == "position_base" &&
           recipe.position.base == (usual > 0 ? usual : kUsualBase);
}

}  // namespace

std::string effective_value(const RecipeField& field, const Recipe& recipe, const Trace& trace) {
    std::string value = field.get(recipe);
    const bool alone = trace.model != nullptr && trace.model->is_bare_layer();
    if (field.name != "positions" || !alone || value != "model") return value;
    return gives_tokens(recipe.tokens) ? "none" : "sinusoidal";
}

bool is_changed(const RecipeField& field, const Recipe& recipe, const Trace& trace) {
    return means_something(field, recipe, trace) && !is_usual_base(field, recipe) &&
           effective_value(field, recipe, trace) != effective_value(field, as_made(recipe), trace);
}

std::vector<const RecipeField*> changed_fields(const Recipe& recipe, const Trace& trace) {
    if (recipe == as_made(recipe)) return {};  // called in every frame; comparing texts is slower
    std::vector<const RecipeField*> changed;
    std::vector<std::string_view> said;  // together with another field
    for (const RecipeField& field : recipe_fields()) {
        if (!is_changed(field, recipe, trace) || std::ranges::count(said, field.name) != 0)
            continue;
        const auto same = [&](std::string_view part) {
            return find_field(recipe_fields(), part)->get(recipe) == field.get(recipe);
        };
        if (!field.parts.empty() && !std::ranges::all_of(field.parts, same)) continue;
        said.insert(said.end(), field.parts.begin(), field.parts.end());
        changed.push_back(&field);
    }
    return changed;
}

}  // namespace headlight

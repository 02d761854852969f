#include "frame/baseline_changes.h"

#include <filesystem>

#include "frame/field_words.h"
#include "state/fields.h"

namespace headlight::screens {

namespace {

// As displayed: layers count from 1, and files are shown by their base name.
std::string said_value(const RecipeField& field, const Recipe& recipe) {
    if (field.name == "scene") return recipe.scene ? "drawn" : "none";
    if (field.name == "tokens") return gives_tokens(recipe.tokens) ? "given" : "none";
    const std::string value = field.get(recipe);
    if (is_path(field.kind)) return std::filesystem::path(value).filename().string();
    return words_of(field, value);
}

}  // namespace

std::vector<std::string> changes_since_baseline(const Frame& frame) {
    const Recipe &then = *frame.state.pinned, &now = frame.state.recipe;
    std::vector<std::string> lines;
    for (const RecipeField& field : recipe_fields()) {
        if (!field.parts.empty() || field.get(then) == field.get(now)) continue;
        const std::string before = said_value(field, then), present = said_value(field, now);
        lines.push_back(std::string(field.label) + "  " + before + " → " +
                        (before == present ? "another" : present));
    }
    return lines;
}

}  // namespace headlight::screens

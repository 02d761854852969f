#include "state/chosen_values.h"

#include "scene/scene_file.h"
#include "state/fields.h"

namespace headlight {

namespace {

std::map<std::string, std::string> of_selection(const Selection& s) {
    const auto number = [](const std::optional<int>& chosen, int first) {
        return chosen ? std::to_string(*chosen + first) : "";
    };
    std::string also;
    for (const int token : s.also) also += (also.empty() ? "" : " ") + std::to_string(token);
    return {{"step", std::string(info(s.step).name)},
            {"head", std::to_string(s.head + 1)},
            {"head_pinned", s.head_pinned ? "yes" : "no"},
            {"solo", s.solo ? "yes" : "no"},
            {"token", number(s.token, 0)},
            {"col", number(s.col, 0)},
            {"shape", number(s.shape, 1)},
            {"also", also}};
}

}  // namespace

std::map<std::string, std::string> chosen_values(const State& state) {
    std::map<std::string, std::string> all = of_selection(state.selection);
    const Recipe& recipe = state.recipe;
    all["scene"] = recipe.scene ? to_json(*recipe.scene) : "";
    all["switched_off"] = recipe.switched_off.empty() ? "" : find_field("switched_off")->get(state);
    all["image"] = recipe.image;
    all["compare"] = name_of(state.look.compare);
    all["pinned"] = state.pinned ? "yes" : "no";
    return all;
}

std::optional<std::string> chosen_value(const State& state, std::string_view name) {
    const auto all = of_selection(state.selection);
    const auto found = all.find(std::string(name));
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace headlight

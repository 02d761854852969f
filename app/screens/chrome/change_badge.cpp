#include "chrome/change_badge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frame/field_words.h"
#include "state/changes.h"

namespace headlight::screens {

namespace {

// The changed fields of the experiment on the screen, as text.
struct Changes {
    std::vector<std::string_view> fields;
    std::vector<std::string> words;
    std::size_t number = 0;  // number of changes; each switched-off head counts
    bool before = false;     // belongs to the baseline, which cannot be changed

    [[nodiscard]] std::string all() const {
        if (words.empty()) return "";
        return fmt::format("{}: {}", before ? "changed in the baseline" : "changed",
                           fmt::join(words, ", "));
    }
    [[nodiscard]] std::string count() const { return fmt::format("{} changed", number); }
};

Changes changes_in_view(const Frame& frame) {
    const Recipe& recipe = frame.before() ? frame.recipe : frame.state.recipe;
    Changes changes;
    changes.before = frame.before();
    for (const RecipeField* field : changed_fields(recipe, frame.trace)) {
        changes.fields.push_back(field->name);
        const bool heads = field->name == "switched_off";
        changes.number += heads ? recipe.switched_off.size() : 1;
        changes.words.push_back(change_in_words(*field, recipe, *frame.trace.model));
    }
    return changes;
}

constexpr const char* kReset = "reset all";

// Width of its two buttons; without the second if nothing can be reset.
float first_width(Frame& frame, const std::string& text) {
    return ui::button_width(frame.ui, text) + 1;
}
float second_width(Frame& frame, const Changes& changes) {
    return changes.before ? 0 : ui::button_width(frame.ui, kReset) + frame.px(4);
}

}  // namespace

bool is_changed(const Frame& frame) { return !changes_in_view(frame).words.empty(); }

float change_badge_width(Frame& frame, float room) {
    const Changes changes = changes_in_view(frame);
    if (changes.words.empty()) return 0;
    const float second = second_width(frame, changes);
    const float all = first_width(frame, changes.all()) + second,
                least = first_width(frame, changes.count()) + second;
    return all <= room ? all : std::max(least, room);
}

void change_badge(Frame& frame, ui::Layout rect) {
    const Changes changes = changes_in_view(frame);
    const std::string all = changes.all();
    frame.ui.report("changed", all);
    if (all.empty() || rect.empty()) return;
    frame.ui.name("changed", {rect, {0, 0, 0, 0}});
    const ui::Rect second = rect.right(second_width(frame, changes));
    // If the text does not fit, shows the number of changes instead.
    const bool fits = first_width(frame, all) <= rect.w;
    const std::string text =
        fits || rect.w > 2 * first_width(frame, changes.count()) ? all : changes.count();
    if (changes.before) {
        ui::button(frame.ui, "changed.what", rect, text, ui::ButtonLook::marked, all);
        return;
    }
    std::vector<std::string> words;
    for (const std::string& change : changes.words) words.push_back("Reset: " + change);
    const int chosen =
        ui::menu_button(frame.ui, "changed.what", rect, text, changes.fields,
                        all + "\nThe model is changed. Click to undo one of these changes.", words,
                        ui::ButtonLook::marked);
    if (chosen >= 0)
        frame.say("reset", std::string(changes.fields[static_cast<std::size_t>(chosen)]));
    ui::Layout reset(frame.ui, second);
    reset.skip_left(4);
    if (ui::button(frame.ui, "changed.reset", reset, kReset, ui::ButtonLook::outlined,
                   "Undoes all changes to the model"))
        frame.say("reset", "all");
}

}  // namespace headlight::screens

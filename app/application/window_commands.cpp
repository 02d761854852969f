#include "application/window_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "state/fields.h"

namespace headlight::app {
namespace {

const Field& field_named(const std::string& name) {
    if (const Field* field = find_field(name)) return *field;
    throw CommandError("toggle: there is no field \"" + name + "\".");
}

}  // namespace

Command toggled(const std::string& name, const State& state) {
    // Toggles the visible theme.
    if (name == "theme" && state.look.lecture) return toggled("lecture_theme", state);
    const Field& field = field_named(name);
    const std::string now = field.get(state);
    if (field.kind == FieldKind::toggle)
        return command("set", name, now == "true" ? "false" : "true");
    if (field.kind == FieldKind::choice && field.choices.size() == 2)
        return command("set", name, field.choices[now == field.choices[0] ? 1 : 0]);
    throw CommandError("toggle: \"" + name + "\" has more than two values. Use set.");
}

Command zoomed(const std::string& how, const State& state) {
    if (how == "reset") return command("reset", "zoom");
    if (how != "in" && how != "out")
        throw CommandError("zoom: expected in, out or reset, found \"" + how + "\".");
    const Field& zoom = *find_field("zoom");
    const double tenths = std::round(state.look.zoom * 10.0) + (how == "in" ? 1 : -1);
    const double next = std::clamp(tenths / 10, zoom.low, zoom.high);
    return command("set", "zoom", fmt::format("{:.1f}", next));
}

Command escaped(const Workspace& work) {
    const Look& look = work.state().look;
    if (work.panel() == Panel::folder) return {"show", {"features"}};  // it came from there
    if (work.panel() != Panel::nothing) return {"show", {"nothing"}};
    if (look.lecture && look.pen) return {"set", {"pen", "false"}};
    if (look.lecture && look.pointer_light) return {"set", {"pointer_light", "false"}};
    if (look.lecture && look.pointer_dot) return {"set", {"pointer_dot", "false"}};
    return {work.notice().text.empty() ? "release" : "dismiss", {}};
}

}  // namespace headlight::app

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "application/application.h"
#include "program/values.h"
#include "script/player.h"
#include "script/screenshot_runner.h"
#include "script/shot.h"
#include "state/fields.h"

namespace headlight::app {
namespace {

constexpr std::size_t kNameColumn = 34;

// Syntax and description, the latter on its own line if there is no space beside it.
std::string line(const std::string& said, std::string_view words) {
    if (said.size() + 2 <= kNameColumn)
        return fmt::format("  {:<{}}{}\n", said, kNameColumn, words);
    return fmt::format("  {}\n  {:<{}}{}\n", said, "", kNameColumn, words);
}

std::string section(std::string_view title, const std::vector<CommandInfo>& commands) {
    std::string text = fmt::format("\n{}:\n", title);
    for (const CommandInfo& info : commands)
        text += line(fmt::format("{}{}{}", info.name, info.usage.empty() ? "" : " ", info.usage),
                     info.words);
    return text;
}

std::string values_of(const FieldInfo& field) {
    std::string values = fmt::format("{}", fmt::join(field.choices, "|"));
    if (field.kind == FieldKind::toggle) values = "true|false";
    if (field.kind == FieldKind::numbers) values = "\"RED GREEN BLUE\"";
    if (field.low < field.high && field.kind != FieldKind::numbers)
        values = number_text(field.low) + ".." + number_text(field.high);
    if (values.empty()) values = is_path(field.kind) ? "PATH" : "TEXT";
    const bool more = !field.unset.empty() && field.choices.empty();
    return more ? fmt::format("{}|{}", values, field.unset) : values;
}

}  // namespace

std::string script_help() {
    std::string text =
        "A script has one command a line; # begins a comment. Layers and heads count from 1, "
        "tokens from 0. If a setting cannot be computed, a later line may correct it. If none "
        "does, the script ends at the next wait, shot, export, copy, figure, print-value or "
        "expect-that, or at its last line. A setting made with try does not end the script.\n";
    text += section("Mouse, keyboard and time, in scripts only", Player::commands());
    text += section("Pictures and timing, in scripts only", ScreenshotRunner::commands());
    text += section("The window", Application::commands());
    text += section("Lessons", lessons::Reader::commands());
    text += section("What is shown and computed", Workspace::commands());
    text += "\nFields, for set, reset and toggle:\n";
    for (const Field& field : all_fields())
        if (!field.one_based)  // not for `set`; it has its own command
            text += line(fmt::format("{} {}", field.name, values_of(field)), field.help);
    return text;
}

}  // namespace headlight::app

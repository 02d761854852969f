#include "cli/rollout_option.h"

#include <vector>

#include "cli/errors.h"
#include "cli/json.h"

namespace headlight::cli {

namespace {

template <class Enum>
Enum choice(const JsonValue& value) {
    const std::vector<std::string_view> names(names_of<Enum>().begin(), names_of<Enum>().end());
    return *value_named<Enum>(value.choice(names));
}

}  // namespace

RolloutSettings parse_rollout(const std::string& text) {
    RolloutSettings settings;
    if (text.empty()) return settings;
    const Json object = parse_object(text, "--rollout");
    for (const auto& item : object.items()) {
        const JsonValue value(item.value(), "--rollout", item.key());
        if (item.key() == "fusion") {
            settings.fusion = choice<HeadFusion>(value);
        } else if (item.key() == "normalisation") {
            settings.normalisation = choice<RolloutNormalisation>(value);
        } else if (item.key() == "discard_ratio") {
            settings.discard_ratio = value.number();
            if (settings.discard_ratio < 0 || settings.discard_ratio >= 1)
                value.refuse("a number of at least 0 and below 1");
        } else {
            throw UsageError(
                "--rollout: expected the key fusion, discard_ratio or \"normalisation\", found \"" +
                item.key().substr(0, 80) + "\".");
        }
    }
    return settings;
}

}  // namespace headlight::cli

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "model/config_parts.h"

#include "kernels/counted.h"

// Class names, in the forms used by configs. Names are only for people, so unusable ones are left
// out, with the reason, and never prevent reading a model.
namespace headlight {

namespace {

constexpr std::size_t kMaxClasses = 1'000'000;

struct Names {
    std::vector<std::string> names;
    std::string why_not;  // reason, if there are entries but not a name for each class
};

std::optional<std::size_t> number_in(const std::string& text) {
    constexpr std::size_t kMostDigits = 7;
    const bool digits = !text.empty() && text.size() <= kMostDigits &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return digits ? std::optional(std::stoul(text)) : std::nullopt;
}

// The name of a class: a text, or a number used as a name.
std::optional<std::string> name_in(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    return {};
}

std::optional<std::size_t> number_in(const Json& value) {
    if (value.is_string()) return number_in(value.get_ref<const std::string&>());
    if (!value.is_number_unsigned()) return {};
    return value.get<std::size_t>();
}

// Sorts by number; the numbers must be 0, 1, 2, ...
Names in_order(const std::multimap<std::size_t, std::string>& numbered) {
    Names found;
    for (const auto& [number, name] : numbered) {
        if (number != found.names.size())
            return {{},
                    counted(numbered.size(), "name") + ", numbered from " +
                        std::to_string(numbered.begin()->first) + " to " +
                        std::to_string(numbered.rbegin()->first) + " instead of 0 to " +
                        std::to_string(numbered.size() - 1)};
        found.names.push_back(name);
    }
    return found;
}

// {"0": "cat"}, or with names as keys, as in label2id: {"cat": 0}.
Names names_of_object(const Json& object) {
    std::multimap<std::size_t, std::string> by_key, by_value;
    for (const auto& [key, value] : object.items()) {
        if (const auto number = number_in(key))
            if (const auto name = name_in(value)) by_key.emplace(*number, *name);
        if (const auto number = number_in(value)) by_value.emplace(*number, key);
    }
    if (by_key.size() == object.size()) return in_order(by_key);
    if (by_value.size() == object.size()) return in_order(by_value);
    return {{}, "neither a name for each number nor a number for each name"};
}

Names names_of_list(const Json& list) {
    Names found;
    for (const Json& value : list) {
        const auto name = name_in(value);
        if (!name) return {{}, "an entry that is not a name: " + excerpt(value)};
        found.names.push_back(*name);
    }
    return found;
}

Names names_of(const Section& section, const char* key) {
    const Json* value = section.find(key);
    if (!value || (value->is_structured() && value->empty())) return {};
    if (value->size() > kMaxClasses) return {{}, "more than a million names"};
    Names found = value->is_object() ? names_of_object(*value)
                  : value->is_array()
                      ? names_of_list(*value)
                      : Names{{}, "something other than a list of names: " + excerpt(*value)};
    // Hugging Face's placeholder names carry no information.
    const bool numbers_only = std::ranges::all_of(
        found.names, [](const std::string& name) { return name.starts_with("LABEL_"); });
    if (numbers_only) found.names.clear();
    return found;
}

// timm names classes by identifiers and describes these in another table.
void describe_classes(const Section& section, std::vector<std::string>& names) {
    const auto descriptions = section.section("label_descriptions");
    if (!descriptions) return;
    for (std::string& name : names) {
        const Json* text = descriptions->find(name.c_str());
        if (text && text->is_string()) name = text->get<std::string>();
    }
}

}  // namespace

void read_classes(const Section& section, ModelConfig& config) {
    for (const char* key : {"label2id", "id2label", "label_names"}) {
        Names found = names_of(section, key);
        if (!found.names.empty()) config.class_names = std::move(found.names);
        if (!found.why_not.empty())
            config.names_left_aside = std::string(key) + " has " + found.why_not;
    }
    describe_classes(section, config.class_names);
    if (!config.class_names.empty()) config.names_left_aside.clear();
}

}  // namespace headlight

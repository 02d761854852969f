#include "cli/json.h"

#include <cmath>
#include <limits>

#include "attention/mask.h"
#include "cli/errors.h"

namespace headlight::cli {

namespace {

// Only names the type of lists and objects; dump() would recurse into their nesting.
std::string brief(const Json& value) {
    if (value.is_structured()) return "an " + std::string(value.type_name());
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

void JsonValue::refuse(const std::string& expected) const {
    throw UsageError(source_ + ": \"" + key_ + "\": expected " + expected + ", found " +
                     brief(value_) + ".");
}

int JsonValue::whole_number(int least) const {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    const double number = value_.is_number() ? value_.get<double>() : -1;  // 128.0 is 128
    if (number != std::floor(number) || number < least || number > static_cast<double>(kMost))
        refuse("a whole number of at least " + std::to_string(least));
    return static_cast<int>(number);
}

float JsonValue::number() const {
    if (!value_.is_number() || !std::isfinite(value_.get<float>())) refuse("a finite number");
    return value_.get<float>();
}

std::optional<float> JsonValue::number_or_null() const {
    if (value_.is_null()) return {};
    if (!value_.is_number()) refuse("a number or null");
    return number();
}

std::pair<int, int> JsonValue::height_and_width() const {
    if (value_.is_array() && value_.size() == 2)
        return {part(value_[0]).whole_number(), part(value_[1]).whole_number()};
    if (!value_.is_number()) refuse("a whole number or [height, width]");
    const int side = whole_number();
    return {side, side};
}

std::string JsonValue::choice(const std::vector<std::string_view>& names) const {
    std::string listed;
    const std::string said = value_.is_boolean() ? value_.dump() : "";  // of true and false
    for (const std::string_view name : names) {
        if (value_ == std::string(name) || said == name) return std::string(name);
        listed += (listed.empty() ? "\"" : ", \"") + std::string(name) + '"';
    }
    refuse("one of " + listed);
}

std::string JsonValue::words() const {
    if (value_.is_string()) return value_.get<std::string>();
    if (!value_.is_array()) refuse("a word or a list of words");
    std::string text;
    for (const Json& each : value_) {
        if (!each.is_string()) part(each).refuse("a word");
        text += (text.empty() ? "" : " ") + each.get<std::string>();
    }
    return text;
}

std::string JsonValue::rule() const {
    if (value_.is_string()) return value_.get<std::string>();
    if (!value_.is_object() || value_.size() != 1)
        refuse(R"(a word, an object such as {"local": 2}, or a list of them)");
    std::string text = value_.begin().key();
    const Json& numbers = value_.begin().value();
    if (text == info(MaskKind::blocked).name) {
        if (!numbers.is_string())
            part(numbers).refuse(R"(painted cells such as "4x4 0-1.2 3.0-2")");
        return text + " " + numbers.get<std::string>();
    }
    const auto add = [&](const Json& number) {
        if (!number.is_number_unsigned()) part(number).refuse("whole numbers from 0");
        text += " " + number.dump();
    };
    if (!numbers.is_array())
        add(numbers);
    else
        for (const Json& number : numbers) add(number);
    return text;
}

std::string JsonValue::rules() const {
    if (!value_.is_array()) return rule();
    std::string text;
    for (const Json& each : value_) text += (text.empty() ? "" : " + ") + part(each).rule();
    return text.empty() ? "none" : text;
}

std::string printed(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json parse_object(std::string_view text, const std::string& source) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        throw UsageError(source + ": expected a JSON object, found text that is not JSON.");
    if (!json.is_object())
        throw UsageError(source + ": expected a JSON object, found " + brief(json) + ".");
    return json;
}

}  // namespace headlight::cli

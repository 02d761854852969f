#include "cli/json.h"

#include <cmath>
#include <limits>

#include "cli/errors.h"

namespace headlight::cli {

namespace {

[[noreturn]] void raise(const std::string& sentence, bool on_command_line) {
    if (on_command_line) throw UsageError(sentence);
    throw WorkError(sentence);
}

// Lists and objects are named only: dump() would follow their nesting down.
std::string brief(const Json& value) {
    if (value.is_structured()) return "an " + std::string(value.type_name());
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

void JsonValue::refuse(const std::string& expected) const {
    raise(source_ + ": \"" + key_ + "\": expected " + expected + ", found " + brief(value_) + ".",
          on_command_line_);
}

int JsonValue::whole_number() const {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    if (!value_.is_number_unsigned() || value_.get<std::uint64_t>() < 1 ||
        value_.get<std::uint64_t>() > kMost)
        refuse("a whole number of at least 1");
    return value_.get<int>();
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

std::vector<float> JsonValue::one_or_three_numbers() const {
    if (value_.is_number()) return {number()};
    if (!value_.is_array() || (value_.size() != 1 && value_.size() != 3))
        refuse("one number or an array of three");
    std::vector<float> numbers;
    for (const Json& item : value_) numbers.push_back(part(item).number());
    return numbers;
}

std::pair<int, int> JsonValue::height_and_width() const {
    if (value_.is_array() && value_.size() == 2)
        return {part(value_[0]).whole_number(), part(value_[1]).whole_number()};
    if (value_.is_object() && value_.contains("height") && value_.contains("width"))
        return {part(value_["height"]).whole_number(), part(value_["width"]).whole_number()};
    if (value_.is_object() && value_.contains("shortest_edge"))
        return part(value_["shortest_edge"]).height_and_width();
    if (!value_.is_number()) refuse("a whole number or [height, width]");
    const int side = whole_number();
    return {side, side};
}

std::string JsonValue::text() const {
    if (!value_.is_string()) refuse("a text");
    return value_.get<std::string>();
}

Json parse_object(std::string_view text, const std::string& source, bool on_command_line) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        raise(source + ": expected a JSON object, found something that is not JSON.",
              on_command_line);
    if (!json.is_object())
        raise(source + ": expected a JSON object, found " + brief(json) + ".", on_command_line);
    return json;
}

}  // namespace headlight::cli

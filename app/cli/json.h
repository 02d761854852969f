#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reading single values from JSON that a person wrote.
namespace headlight::cli {

using Json = nlohmann::json;

// A value and where it stands, for the sentence that refuses it.
class JsonValue {
  public:
    // source: a file, or "--attention". on_command_line: a mistake in it is wrong usage.
    JsonValue(const Json& value, std::string source, std::string key, bool on_command_line)
        : value_(value),
          source_(std::move(source)),
          key_(std::move(key)),
          on_command_line_(on_command_line) {}

    [[nodiscard]] const std::string& source() const { return source_; }
    [[nodiscard]] const Json& json() const { return value_; }

    // These throw UsageError or WorkError, naming source, key, what was expected and what was
    // found.
    [[nodiscard]] int whole_number() const;  // at least 1
    [[nodiscard]] float number() const;      // finite
    [[nodiscard]] std::optional<float> number_or_null() const;
    [[nodiscard]] std::vector<float> one_or_three_numbers() const;
    [[nodiscard]] std::pair<int, int> height_and_width() const;
    [[nodiscard]] std::string text() const;
    template <class T>
    [[nodiscard]] T choice(const std::vector<std::pair<std::string_view, T>>& choices) const;

    [[noreturn]] void refuse(const std::string& expected) const;

  private:
    [[nodiscard]] JsonValue part(const Json& value) const {
        return {value, source_, key_, on_command_line_};
    }

    const Json& value_;
    std::string source_, key_;
    bool on_command_line_;
};

// Throws UsageError or WorkError: not JSON, or not an object.
Json parse_object(std::string_view text, const std::string& source, bool on_command_line);

template <class T>
T JsonValue::choice(const std::vector<std::pair<std::string_view, T>>& choices) const {
    std::string names;
    for (const auto& [name, value] : choices) {
        if (value_.is_string() && value_.get_ref<const std::string&>() == name) return value;
        names += (names.empty() ? "\"" : ", \"") + std::string(name) + '"';
    }
    refuse("one of " + names);
}

}  // namespace headlight::cli

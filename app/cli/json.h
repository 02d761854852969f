#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// JSON values on the command line, and JSON output.
namespace headlight::cli {

using Json = nlohmann::json;

// A value and where it came from, for error messages.
class JsonValue {
  public:
    // source: the option, e.g. "--attention"
    JsonValue(const Json& value, std::string source, std::string key)
        : value_(value), source_(std::move(source)), key_(std::move(key)) {}

    // These throw UsageError, naming source, key, and the expected and actual values.
    [[nodiscard]] int whole_number(int least = 1) const;
    [[nodiscard]] float number() const;  // finite
    [[nodiscard]] std::optional<float> number_or_null() const;
    [[nodiscard]] std::pair<int, int> height_and_width() const;
    [[nodiscard]] std::string choice(const std::vector<std::string_view>& names) const;

    // A word, or a list of words: "9.7 12.3".
    [[nodiscard]] std::string words() const;

    // A word, {"word": 2} or {"word": [2, 3]}, or a list of such: "word + word 2 3" as fields have
    // it; {"blocked": "4x4 0-1.2"}.
    [[nodiscard]] std::string rules() const;

    [[noreturn]] void refuse(const std::string& expected) const;

  private:
    [[nodiscard]] JsonValue part(const Json& value) const { return {value, source_, key_}; }
    [[nodiscard]] std::string rule() const;

    const Json& value_;
    std::string source_, key_;
};

// Throws UsageError if it is not JSON, or not an object.
Json parse_object(std::string_view text, const std::string& source);

// Formats JSON for output. NaN and infinity, which JSON lacks, become null; invalid UTF-8 in names
// is replaced.
std::string printed(const Json& json);

}  // namespace headlight::cli

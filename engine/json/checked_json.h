#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

// JSON values that are checked as they are read. Any mistake throws an Error whose message is one
// sentence that starts with the path of the value.
namespace headlight {

// The shortest decimal that restores this float exactly.
inline nlohmann::ordered_json json_number(float value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return nlohmann::ordered_json::parse(text.data(), end);
}

template <class Error>
struct CheckedJson {
    const nlohmann::ordered_json& json;
    std::string place;

    [[noreturn]] void refuse(const std::string& expected) const {
        using Handler = nlohmann::ordered_json::error_handler_t;
        std::string found = json.is_primitive() ? json.dump(-1, ' ', true, Handler::replace)
                            : json.is_array()   ? "a list of " + std::to_string(json.size())
                                                : std::string("an object");
        if (found.size() > 60) found = found.substr(0, 60) + "…";
        throw Error(place + ": expected " + expected + ", found " + found + ".");
    }

    [[nodiscard]] float number(float low, float high) const {
        const auto range = [&] {
            return "a number from " + json_number(low).dump() + " to " + json_number(high).dump();
        };
        if (!json.is_number()) refuse(range());
        const double value = json.get<double>();
        if (!(value >= low && value <= high)) refuse(range());
        return static_cast<float>(value);
    }

    // Refuses unsigned values of 2^63 or more, which std::int64_t cannot hold.
    [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const {
        const auto range = [&] {
            return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
        };
        if (!json.is_number_integer() ||
            (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX))
            refuse(range());
        const auto value = json.get<std::int64_t>();
        if (value < low || value > high) refuse(range());
        return value;
    }
};

// An object that may only have these members. `of` is what errors call the object.
template <class Error>
class CheckedMembers {
  public:
    CheckedMembers(const CheckedJson<Error>& value, std::initializer_list<const char*> names,
                   const char* of)
        : value_(value) {
        if (!value.json.is_object()) value.refuse("an object");
        for (const auto& [name, unused] : value.json.items())
            if (std::find(names.begin(), names.end(), name) == names.end())
                throw Error(value.place + ": there is no \"" + name.substr(0, 40) + "\" in " + of +
                            ".");
    }

    [[nodiscard]] bool has(const char* name) const { return value_.json.contains(name); }
    [[nodiscard]] CheckedJson<Error> operator[](const char* name) const {
        const auto found = value_.json.find(name);
        if (found == value_.json.end())
            throw Error(value_.place + ": expected \"" + name + "\", found none.");
        return {*found, value_.place + ", " + name};
    }

  private:
    const CheckedJson<Error>& value_;
};

}  // namespace headlight

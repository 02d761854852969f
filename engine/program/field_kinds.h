#pragma once

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/names.h"
#include "program/field.h"
#include "program/values.h"

// Builders for the rows of a table of fields. In all of them `place` returns the part of the
// subject that the field sets: &Recipe::temperature, or [](auto& r) -> auto& {...}.
namespace headlight::fields {

inline constexpr std::string_view kOfModel = "model";  // the word for "the model decides"

// The texts of a field. They must be literals, because they outlive every field.
struct Words {
    std::string_view name, label, help;
    Required<FieldGroup> group;
};

using Choices = std::vector<std::string_view>;

template <class Subject>
FieldOf<Subject> blank(const Words& words, FieldKind kind) {
    FieldOf<Subject> field;
    field.name = words.name;
    field.label = words.label;
    field.help = words.help;
    field.group = words.group;
    field.kind = kind;
    return field;
}

template <class Number>
Number any_number(std::string_view name, const std::string& text) {
    if constexpr (std::is_floating_point_v<Number>) {
        constexpr double most = std::numeric_limits<Number>::max();
        return static_cast<Number>(parse_number(name, text, -most, most));
    } else {
        return static_cast<Number>(parse_integer(name, text, std::numeric_limits<int>::min(),
                                                 std::numeric_limits<int>::max()));
    }
}

template <class Subject, class Place>
FieldOf<Subject> number(const Words& words, double low, double high, Place place) {
    using Number = std::remove_cvref_t<std::invoke_result_t<Place, Subject&>>;
    constexpr bool whole = std::is_integral_v<Number>;
    auto field = blank<Subject>(words, whole ? FieldKind::integer : FieldKind::number);
    field.low = low;
    field.high = high;
    field.get = [place](const Subject& s) {
        if constexpr (whole)
            return std::to_string(std::invoke(place, s));
        else
            return number_text(std::invoke(place, s));
    };
    field.put = [place, name = words.name](Subject& s, const std::string& text) {
        std::invoke(place, s) = any_number<Number>(name, text);
    };
    return field;
}

template <class Subject, class Place>
FieldOf<Subject> toggle(const Words& words, Place place) {
    auto field = blank<Subject>(words, FieldKind::toggle);
    field.get = [place](const Subject& s) {
        return std::string(std::invoke(place, s) ? "true" : "false");
    };
    field.put = [place, name = words.name](Subject& s, const std::string& text) {
        std::invoke(place, s) = parse_toggle(name, text);
    };
    return field;
}

// `choices` in the order of the enumerators; for a bool: false, true.
template <class Subject, class Place>
FieldOf<Subject> choice(const Words& words, const Choices& choices, Place place) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Place, Subject&>>;
    auto field = blank<Subject>(words, FieldKind::choice);
    field.choices = choices;
    field.get = [place, choices](const Subject& s) {
        return std::string(choices.at(static_cast<std::size_t>(std::invoke(place, s))));
    };
    field.put = [place, choices, name = words.name](Subject& s, const std::string& text) {
        std::invoke(place, s) = static_cast<Value>(parse_name(name, text, choices));
    };
    return field;
}

// A choice of an enum with kNames.
template <class Subject, class Place>
FieldOf<Subject> choice(const Words& words, Place place) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Place, Subject&>>;
    const auto& names = names_of<Value>();
    return choice<Subject>(words, Choices(names.begin(), names.end()), place);
}

// The same field with other labels for its values.
template <class Subject>
FieldOf<Subject> labeled(FieldOf<Subject> field, Labels labels) {
    field.labels = std::move(labels);
    return field;
}

// The labels of a table's rows, by the names of their enumerators.
template <class Rows>
Labels labels_of(const Rows& rows) {
    Labels labels;
    for (const auto& row : rows) labels.emplace_back(name_of(row.id), row.label);
    return labels;
}

// A choice of strings.
template <class Subject, class Place>
FieldOf<Subject> named_choice(const Words& words, const Choices& choices, Place place) {
    auto field = blank<Subject>(words, FieldKind::choice);
    field.choices = choices;
    field.get = [place](const Subject& s) { return std::invoke(place, s); };
    field.put = [place, choices, name = words.name](Subject& s, const std::string& text) {
        std::invoke(place, s) = std::string(choices[parse_name(name, text, choices)]);
    };
    return field;
}

// Numbers, one per channel.
template <class Subject, class Place>
FieldOf<Subject> numbers(const Words& words, double low, double high, Place place) {
    auto field = blank<Subject>(words, FieldKind::numbers);
    field.low = low;
    field.high = high;
    field.get = [place](const Subject& s) { return numbers_text(std::invoke(place, s)); };
    field.put = [place, name = words.name](Subject& s, const std::string& text) {
        constexpr double most = std::numeric_limits<float>::max();
        std::invoke(place, s) = parse_numbers(name, text, -most, most);
    };
    return field;
}

// Texts and file names: accepts any text.
template <class Subject, class Place>
FieldOf<Subject> text(const Words& words, FieldKind kind, Place place) {
    auto field = blank<Subject>(words, kind);
    field.get = [place](const Subject& s) { return std::invoke(place, s); };
    field.put = [place](Subject& s, const std::string& said) { std::invoke(place, s) = said; };
    return field;
}

// An optional: the word for none, or a value of `of_value`, a field whose place is std::identity.
template <class Subject, class Place, class Value>
FieldOf<Subject> optional(const FieldOf<Value>& of_value, std::string_view unset, Place place) {
    FieldOf<Subject> field;
    static_cast<FieldInfo&>(field) = of_value;
    field.unset = unset;
    if (field.kind == FieldKind::choice) field.choices.push_back(unset);
    if (field.kind == FieldKind::number) field.kind = FieldKind::optional_number;
    field.get = [place, get = of_value.get, unset](const Subject& s) {
        const auto& value = std::invoke(place, s);
        return value ? get(*value) : std::string(unset);
    };
    field.put = [place, put = of_value.put, unset](Subject& s, const std::string& text) {
        auto& value = std::invoke(place, s);
        if (text == unset) return value.reset();
        Value said{};
        put(said, text);
        value = said;
    };
    return field;
}

}  // namespace headlight::fields

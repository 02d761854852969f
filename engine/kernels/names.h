#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// The names of an enum's values in commands, sessions, options and config files. They are stable,
// and are defined next to their enum, in the order of its enumerators:
//   template <> inline constexpr auto kNames<Theme> = std::to_array<std::string_view>({"dark",
//   "light"});
// A missing name, an extra name or a name for the wrong enumerator does not compile.
namespace headlight {

template <class Enum>
inline constexpr std::array<std::string_view, 0> kNames{};

// How the compiler spells a value: "headlight::Theme::dark", or "(headlight::Theme)2" if no
// enumerator has that value.
template <auto value>
constexpr std::string_view spelled() {
    const std::string_view all = __PRETTY_FUNCTION__;
    const std::size_t begin = all.find("value = ") + 8;
    return all.substr(begin, all.find_first_of(";]", begin) - begin);
}

template <auto value>
constexpr bool is_enumerator() {
    const std::string_view text = spelled<value>();
    const char first = text.substr(text.rfind(')') + 1).front();
    return first < '0' || first > '9';
}

// The number of enumerators of an enum that counts from 0 without gaps.
template <class Enum, std::size_t n = 0>
constexpr std::size_t enumerator_count() {
    if constexpr (is_enumerator<static_cast<Enum>(n)>())
        return enumerator_count<Enum, n + 1>();
    else
        return n;
}

// True if each enumerator has a name, and no name is the spelling of another enumerator.
template <class Enum>
constexpr bool names_fit() {
    constexpr std::size_t count = enumerator_count<Enum>();
    if (kNames<Enum>.size() != count) return false;
    const auto called = []<std::size_t... n>(std::index_sequence<n...>) {
        return std::array{spelled<static_cast<Enum>(n)>()...};
    }
    (std::make_index_sequence<count>());
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
            const std::string_view identifier = called[j].substr(called[j].rfind(':') + 1);
            if (i != j && kNames<Enum>[i] == identifier) return false;
        }
    return true;
}

// A column without a default value: a row without it does not compile.
template <class Value>
class Required {
  public:
    template <class Given>
    requires requires(Given given) { Value{given}; }
    constexpr Required(Given given) : value_{given} {}
    constexpr operator Value() const { return value_; }

  private:
    Value value_;
};

// With its sanitizers, GCC does not accept the comparison of a function's address with null as a
// constant expression. Builds without them check that the function is there.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressesAreConstants = false;
#else
inline constexpr bool kAddressesAreConstants = true;
#endif

// True if each row has a text that is not empty, or a function, in each of these columns.
template <class Rows, class... Columns>
constexpr bool has_columns(const Rows& rows, Columns... columns) {
    [[maybe_unused]] const auto is_given = [](const auto& value) {
        if constexpr (requires { value.empty(); })
            return !value.empty();
        else
            return !kAddressesAreConstants || value != nullptr;
    };
    for (const auto& row : rows)
        if (!(is_given(std::invoke(columns, row)) && ...)) return false;
    return true;
}

// True if a table has one row for each enumerator, in their order, and each row has these columns.
template <class Rows, class Column, class... Columns>
constexpr bool rows_fit(const Rows& rows, Column id, Columns... columns) {
    using Enum = std::remove_cvref_t<std::invoke_result_t<Column, decltype(rows[0])>>;
    if (std::size(rows) != enumerator_count<Enum>()) return false;
    for (std::size_t i = 0; i < std::size(rows); ++i)
        if (std::invoke(id, rows[i]) != static_cast<Enum>(i)) return false;
    return has_columns(rows, columns...);
}

// The names of an enum in the order of its enumerators.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr const auto& names_of() {
    static_assert(names_fit<Enum>(), "expected a name for each enumerator, in their order");
    return kNames<Enum>;
}

template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view name_of(Enum value) {
    return names_of<Enum>().at(static_cast<std::size_t>(value));
}

// The value with this name, if there is one.
template <class Enum>
constexpr std::optional<Enum> value_named(std::string_view name) {
    const auto& names = names_of<Enum>();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

// "crop, fit or stretch"
std::string alternatives(std::span<const std::string_view> names);

}  // namespace headlight

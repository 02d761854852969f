#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

// The words for an enum's values in commands, sessions, options and config files. They are stable,
// and stand beside their enum, in the order of its enumerators:
//   template <> inline constexpr auto kNames<Theme> = std::to_array<std::string_view>({"dark",
//   "light"});
namespace headlight {

template <class Enum>
inline constexpr std::array<std::string_view, 0> kNames{};

template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view name_of(Enum value) {
    return kNames<Enum>.at(static_cast<std::size_t>(value));
}

// Nothing: no value is called that.
template <class Enum>
constexpr std::optional<Enum> value_named(std::string_view name) {
    const auto& names = kNames<Enum>;
    static_assert(!names.empty(), "its names do not stand beside the enum");
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

// "crop, fit or stretch"
std::string alternatives(std::span<const std::string_view> names);

}  // namespace headlight

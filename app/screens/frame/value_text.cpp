#include "frame/value_text.h"

#include <fmt/format.h>

#include <cmath>

#include "ui/canvas.h"

namespace headlight::screens {

std::string value_text(const lessons::Value& value) {
    if (const auto* words = std::get_if<std::string>(&value)) return *words;
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
    const double number = std::get<double>(value);
    return ui::number(number, number == std::round(number) && std::abs(number) < 1e6 ? 0 : 3);
}

std::string percent_of(const lessons::Value& value) {
    const auto* part = std::get_if<double>(&value);
    if (part == nullptr) return value_text(value);
    const double percent = 100 * *part;
    if (std::isnan(percent)) return "NaN";
    // Values that rounding would turn to 0 or 100 %.
    if (percent > 0 && percent < 0.05) return "< 0.1 %";
    if (percent < 100 && percent >= 99.95) return "> 99.9 %";
    const bool fine = std::abs(percent) < 9.95 || (percent > 98.95 && percent < 100);
    return fmt::format("{:.{}f} %", percent, fine ? 1 : 0);
}

}  // namespace headlight::screens

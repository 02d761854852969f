#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lessons/reader.h"

// The text of a lesson as plain lines for the presenter, who reads it from a distance.
namespace headlight::screens {

// Running text with its evaluated values, or "…" if they are unknown; equations as letters, "A_ij".
std::string spoken(const lessons::Reader& reader, const lessons::Prose& prose);

// The whole text of a stop, blocks separated by empty lines, with the right answers of questions.
// Without code, tables and pictures, which are on the screen.
std::string spoken(const lessons::Reader& reader, const lessons::Stop& stop);

// The first sentence of its first paragraph; "" if it has none.
std::string first_words(const lessons::Reader& reader, const lessons::Stop& stop);

// The text up to its first full stop that ends a sentence; otherwise all of it.
std::string first_sentence(std::string_view text);

// The planned time of a stop, in minutes from the start, read from the beginning of its notes:
// "Minute 3 to 6."; empty if there is none.
struct PlannedMinutes {
    int from = 0, to = 0;
    friend bool operator==(const PlannedMinutes&, const PlannedMinutes&) = default;
};
std::optional<PlannedMinutes> planned_minutes(std::string_view notes);

std::string elapsed_text(double seconds);  // "0:07", "59:59", "1:00:00"
std::string time_text(int minute);         // of the day: "9:05", "14:30"

}  // namespace headlight::screens

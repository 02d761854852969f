#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lessons/reader.h"

// What a lesson says, as plain lines of text: for the presenter, who reads it from afar.
namespace headlight::screens {

// Running text with its values as they were measured, "…" where they were not; of an equation its
// letters, "A_ij".
std::string spoken(const lessons::Reader& reader, const lessons::Prose& prose);

// All that a stop says, block by block, one an empty line apart: of a question which answer is
// right. Code, tables and pictures stand on the screen.
std::string spoken(const lessons::Reader& reader, const lessons::Stop& stop);

// What it says first: the first sentence of its first paragraph; "" where it has none.
std::string first_words(const lessons::Reader& reader, const lessons::Stop& stop);

// Up to its first full stop that ends a sentence; all of it where none does.
std::string first_sentence(std::string_view text);

// When a lecture is at a stop, in minutes since its beginning: what its notes begin with, "Minute 3
// to 6."; nothing where they say no such thing.
struct PlannedMinutes {
    int from = 0, to = 0;
    friend bool operator==(const PlannedMinutes&, const PlannedMinutes&) = default;
};
std::optional<PlannedMinutes> planned_minutes(std::string_view notes);

std::string elapsed_text(double seconds);  // "0:07", "59:59", "1:00:00"
std::string time_text(int minute);         // of the day: "9:05", "14:30"

}  // namespace headlight::screens

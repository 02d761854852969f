#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

// `headlight lesson`: checks, prints and creates lessons.
namespace headlight::app {

// Prints the problems as "FILE:LINE: sentence", or that there are none. Returns their number. Needs
// no display.
std::size_t check_lessons(const std::vector<std::filesystem::path>& files, std::ostream& out,
                          std::ostream& problems);

// Writes FOLDER/index.html, a printable page of the lesson, and beside it a picture of the screen
// for each stop. Throws std::runtime_error, WindowError.
void write_handout(const std::filesystem::path& file, const std::filesystem::path& folder);

// Writes a commented template lesson; never overwrites a file. Throws std::runtime_error.
void begin_lesson(const std::filesystem::path& file);

}  // namespace headlight::app

#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

// `headlight lesson`: lessons checked, printed and begun.
namespace headlight::platform {

// Prints what is wrong, "FILE:LINE: sentence" each, or that nothing is; how many things are wrong.
// Needs no display.
std::size_t check_lessons(const std::vector<std::filesystem::path>& files, std::ostream& out,
                          std::ostream& problems);

// Writes FOLDER/index.html, the lesson to be printed or put on a site, and a picture of the screen
// at each stop beside it. Throws std::runtime_error, WindowError.
void write_handout(const std::filesystem::path& file, const std::filesystem::path& folder);

// Writes a lesson that explains its own lines; never over a file. Throws std::runtime_error.
void begin_lesson(const std::filesystem::path& file);

}  // namespace headlight::platform

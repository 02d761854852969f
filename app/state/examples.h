#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Example command files for the gallery.
namespace headlight {

// A text file. Its first two lines are comments: the title, and one sentence about what it shows.
// An optional third line, "# Try: …", suggests what to try. Each other line is a command, or empty.
// An example whose title is a question answers it; the others show systems from the sources. File
// names in it are relative to its folder.
struct Example {
    std::string name;               // "causal-mask" of 10-causal-mask.txt
    std::filesystem::path file;     // the text file
    std::filesystem::path picture;  // a JPEG of the same name beside it; optional
    std::string title{}, words{};
    std::string tried{};    // one thing to try; may be empty
    std::string text{};     // the whole text
    std::string trouble{};  // one sentence: why it cannot be played; empty if it can
};

bool is_question(const Example& example);

// Does not throw: if the file cannot be read or lacks its first two lines, `trouble` is set.
Example read_example(const std::filesystem::path& file);

// All examples in a folder, in natural order; numbers at the start of their names determine it.
std::vector<Example> examples_in(const std::filesystem::path& folder);

// The example of that name in the folder, or else the file of that name. Throws CommandError if
// neither exists or it has an error.
Example find_example(const std::string& name, const std::filesystem::path& folder);

}  // namespace headlight

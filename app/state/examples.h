#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Files of commands that show something worth seeing: the gallery.
namespace headlight {

// A text file. Its first two lines are comments, the title and one sentence about what there is to
// be seen; a third, "# Try: ", may say what to try. Each other line is a command, or nothing. An
// example whose title is a question answers it; the others show systems of the sources. Names of
// files in it count from its own folder.
struct Example {
    std::string name;               // "causal-mask" of 10-causal-mask.txt
    std::filesystem::path file;     // the text
    std::filesystem::path picture;  // beside it, a JPEG of the same name; need not be there
    std::string title{}, words{};
    std::string tried{};    // one thing to try; empty: nothing is said
    std::string text{};     // all of it
    std::string trouble{};  // one sentence: why it cannot be played; empty when it can
};

bool is_question(const Example& example);

// Never throws: a file that cannot be read, or lacks its two lines, carries its trouble.
Example read_example(const std::filesystem::path& file);

// Those of a folder, in natural order: numbers before their names say which comes first.
std::vector<Example> examples_in(const std::filesystem::path& folder);

// The one of a folder that is called so, else the file of that name. Throws CommandError: there is
// neither, or it has trouble.
Example find_example(const std::string& name, const std::filesystem::path& folder);

}  // namespace headlight

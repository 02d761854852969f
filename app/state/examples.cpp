#include "state/examples.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "disk/files.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "program/values.h"
#include "state/command.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".txt", kTry = "# Try: ";

// Without the number that determines its order.
std::string name_of_file(const fs::path& file) {
    const std::string stem = file.stem().string();
    const std::size_t letters = stem.find_first_not_of("0123456789");
    const bool numbered = letters != std::string::npos && letters > 0 && stem[letters] == '-';
    return numbered ? stem.substr(letters + 1) : stem;
}

// Takes the first line off the text. Throws std::runtime_error if it is no comment.
std::string cut_comment(std::string_view& rest, const Example& example, const char* what,
                        int number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("# ") && line.find_first_not_of("# ") != std::string_view::npos)
        return std::string(line.substr(line.find_first_not_of("# ")));
    throw std::runtime_error(example.file.string() + ":" + std::to_string(number) +
                             ": expected a comment with the example's " + what + ", found " +
                             (line.empty() ? "nothing" : in_quotes(std::string(line))) + ".");
}

}  // namespace

bool is_question(const Example& example) { return example.title.ends_with('?'); }

Example read_example(const fs::path& file) {
    Example example{.name = name_of_file(file),
                    .file = file,
                    .picture = fs::path(file).replace_extension(".jpg")};
    try {
        example.text = read_text(file.string());
        std::string_view rest = example.text;
        example.title = cut_comment(rest, example, "title", 1);
        example.words = cut_comment(rest, example, "description", 2);
        if (rest.starts_with(kTry))
            example.tried = cut_comment(rest, example, "task", 3).substr(kTry.size() - 2);
    } catch (const std::exception& error) {
        example.trouble = error.what();
    }
    return example;
}

std::vector<Example> examples_in(const fs::path& folder) {
    std::vector<fs::path> files = list_folder(folder).paths;
    std::erase_if(files, [](const fs::path& path) { return path.extension() != kEnding; });
    std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
        return natural_less(a.filename().string(), b.filename().string());
    });
    std::vector<Example> examples;
    for (const fs::path& file : files) examples.push_back(read_example(file));
    return examples;
}

Example find_example(const std::string& name, const fs::path& folder) {
    const std::vector<Example> known = examples_in(folder);
    const auto found = std::ranges::find(known, name, &Example::name);
    const bool is_path = found == known.end() && is_file(name);
    if (found == known.end() && !is_path) {
        std::string names;
        for (const Example& example : known) names += example.name + ", ";
        throw CommandError("example: expected " + names +
                           "or the path of an example's file, found " + in_quotes(name) + ".");
    }
    Example example = is_path ? read_example(absolute_path(name)) : *found;
    if (!example.trouble.empty()) throw CommandError(example.trouble);
    return example;
}

}  // namespace headlight

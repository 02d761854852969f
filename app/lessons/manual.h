#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

// The manual as plain data: its pages, their sections, and what they say.
namespace headlight::lessons {

struct ManualSection {
    std::string title;
    std::vector<Block> blocks;
    std::string text;  // all of it, for searching
};

struct ManualPage {
    std::string file;  // relative to the manual's folder, "heads.md" or "../lessons/README.md"
    std::string group, title;
    std::vector<ManualSection> sections;  // the first is what stands before any heading
};

struct Manual {
    std::vector<ManualPage> pages;  // in the order of the contents
    // Of that file, or nothing.
    [[nodiscard]] std::optional<std::size_t> page(std::string_view file) const;
};

// README.md in the folder is the contents: its headings are groups, and its links are pages. Throws
// std::runtime_error, one sentence, where it cannot be read; a page that cannot is left out.
Manual read_manual(const std::filesystem::path& folder);

struct ManualPlace {
    std::size_t page = 0, section = 0;
    friend bool operator==(const ManualPlace&, const ManualPlace&) = default;
};

// Where a link on that page leads: "images.md", "heads.md#order", "#order". Nothing where it leaves
// the manual.
std::optional<ManualPlace> follow_link(const Manual& manual, std::size_t page,
                                       std::string_view link);

struct ManualHit {
    ManualPlace place;
    std::string excerpt;
};
// Sections that have all of these words, those with a word in their title first.
std::vector<ManualHit> search(const Manual& manual, std::string_view words);

}  // namespace headlight::lessons

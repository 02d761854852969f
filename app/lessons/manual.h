#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

// The manual as plain data: its pages, their sections and text.
namespace headlight::lessons {

struct ManualSection {
    std::string title;
    std::vector<Block> blocks;
    std::string text;  // the whole text, for searching
};

struct ManualPage {
    std::string file;  // relative to the manual's folder, "heads.md" or "../lessons/README.md"
    std::string group, title;
    std::vector<ManualSection> sections;  // the first is the text before any heading
};

struct Manual {
    std::vector<ManualPage> pages;  // in the order of the table of contents
    // The index of the page with that file, or nothing.
    [[nodiscard]] std::optional<std::size_t> page(std::string_view file) const;
};

// README.md in the folder is the table of contents: its headings are groups, and its links are
// pages. Throws std::runtime_error with one sentence if it cannot be read. An unreadable page is
// left out.
Manual read_manual(const std::filesystem::path& folder);

struct ManualPlace {
    std::size_t page = 0, section = 0;
    friend bool operator==(const ManualPlace&, const ManualPlace&) = default;
};

// The target of a link on that page: "images.md", "heads.md#order", "#order". Empty if it is
// outside the manual.
std::optional<ManualPlace> follow_link(const Manual& manual, std::size_t page,
                                       std::string_view link);

struct ManualHit {
    ManualPlace place;
    std::string excerpt;
};
// Sections that contain all of these words; those with a word in their title come first.
std::vector<ManualHit> search(const Manual& manual, std::string_view words);

}  // namespace headlight::lessons

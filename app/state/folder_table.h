#pragma once

#include <string>

#include "state/folder_study.h"

// The measurements of a folder as a table for a spreadsheet.
namespace headlight {

class Workspace;

// In long form: one line per head and image, after a header line with units:
//   image, layer, head, the measures of every run: entropy (bits), distance (pixels), …, and
//   lengths also in patches: distance (patches)
// If head importance was requested, also the change without the head: of the probability of the
// image's predicted class or of the chosen class (%), or 1 − cosine of the output vectors for a
// model without classes. For a model with classes also the predicted class and its probability (%).
// An image that was not measured has one line, with the reason at its end. Cells that contain
// `between`, a quote or a line break are quoted as in RFC 4180. stride: pixels from one patch to
// the next; 0 if it differs between layers, which leaves out distances in patches.
std::string folder_table(const FolderFinder::Said& said, int stride, char between);

// The probability that the importance refers to: "the answer's probability" for each image's own
// prediction, or "the probability of espresso".
std::string folder_class_words(const FolderQuestion& question);

// "the heads' numbers on 3 images, and why not on 1; 2 are not measured yet"
std::string folder_table_words(const FolderFinder::Said& said);

inline constexpr const char* kFolderWidget = "heads.folder";  // the images on the screen

// The last measurements shown beside the maps, for export.
struct FolderTable {
    std::shared_ptr<const FolderFinder::Said> said;  // null: none
    int stride = 1;
};

// Throws CommandError if nothing was measured, or nothing for the current experiment.
const FolderTable& checked(const FolderTable& table, const Workspace& work);

}  // namespace headlight

#pragma once

#include <string>

#include "state/folder_study.h"

// The measurements of a folder as a table for a spreadsheet.
namespace headlight {

class Workspace;

// In long form: one line per head and image, after a header line with units:
//   image, layer, head, the measures of every run: entropy (bits), distance (pixels), …, and
//   lengths also in patches: distance (patches)
// Then the measures on request that were asked for, changes of a probability in percentage points.
// For a model with classes also the predicted class and its probability (%).
// An image that was not measured has one line, with the reason at its end. Cells that contain
// `between`, a quote or a line break are quoted as in RFC 4180. stride: pixels from one patch to
// the next; 0 if it differs between layers, which leaves out distances in patches.
std::string folder_table(const FolderFinder::Said& said, int stride, char between);

// A measure on request in words: "change in the probability of espresso when switched off". Without
// a chosen class it is "the answer's probability", each image's own prediction.
std::string folder_noun(const FolderQuestion& question, HeadMeasure measure);

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

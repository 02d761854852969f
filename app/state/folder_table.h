#pragma once

#include <string>

#include "state/folder_study.h"

// What was measured of a folder, for a spreadsheet.
namespace headlight {

class Workspace;

// In long form, a line for each head of each image, with the units in the line above them:
//   image, layer, head, the measures of every run: entropy (bit), distance (pixels), …, and lengths
//   in patches too: distance (patches)
// and where it was asked for the importance of the head: without it the change of the probability
// of the image's answer, or of the class in question (%), or of a model without classes how far its
// output turns; and of a model with classes the answer and its probability (%). An image that was
// not measured has one line with the reason at its end. A text in which `between`, a quote or a
// line's end stands is quoted as RFC 4180 has it. stride: pixels from one patch to the next; 0: the
// layers' differ, and there is no distance in patches.
std::string folder_table(const FolderFinder::Said& said, int stride, char between);

// Of which probability the importance is: "the answer's probability", each image's own, or "the
// probability of espresso".
std::string folder_class_words(const FolderQuestion& question);

// "the heads' numbers on 3 images, and why not on 1; 2 are not measured yet"
std::string folder_table_words(const FolderFinder::Said& said);

inline constexpr const char* kFolderWidget = "heads.folder";  // the images on the screen

// What was measured last and shown beside the maps, for who writes it.
struct FolderTable {
    std::shared_ptr<const FolderFinder::Said> said;  // null: nothing
    int stride = 1;
};

// Throws CommandError where nothing was measured, or nothing of the present experiment.
const FolderTable& checked(const FolderTable& table, const Workspace& work);

}  // namespace headlight

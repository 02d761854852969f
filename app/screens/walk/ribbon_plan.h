#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

// Where things stand in the ribbon.
namespace headlight::screens {

// A step of the walk, or a marker that stands for the layers which the walk passes over.
struct RibbonItem {
    const Node* node = nullptr;  // of the walk
    int first = 0, last = -1;    // of the model's layers; last < first: a step
    bool branch = false;         // beside the stream: it reads from it, and is added to it later

    [[nodiscard]] bool is_step() const { return node != nullptr; }

    friend bool operator==(const RibbonItem&, const RibbonItem&) = default;
};

// From left to right.
std::vector<RibbonItem> ribbon_items(const Trace& trace);

// "1–4", "T2T 1", "T2T 2 – 14": the layers in as few letters as possible.
std::string layer_range(const Model& model, int first, int last);

// The room shared out: each gets what it wants and as much more as the others, or, where there is
// too little, the same part of what it wants beyond its least. The leasts shrink only when even
// they are too much.
std::vector<float> share_out(const std::vector<float>& wanted, std::vector<float> least,
                             float room);

// A word that would like to stand in a row of them.
struct Label {
    float center = 0, width = 0;
    int rank = 0;  // smaller ones choose first
    int row = 0;
};
// Which of them can stand without touching each other, at least `gap` apart. One that would stand
// out of [left, right] is moved inside.
std::vector<bool> place_labels(std::vector<Label>& labels, float gap, float left, float right);

}  // namespace headlight::screens

#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

// The layout of the ribbon.
namespace headlight::screens {

// A step of the walk, or a marker for layers that the walk skips.
struct RibbonItem {
    const Node* node = nullptr;  // of the walk
    int first = 0, last = -1;    // indices of skipped layers; last < first: a step
    bool branch = false;         // off the residual stream, to be added to it later

    [[nodiscard]] bool is_step() const { return node != nullptr; }

    friend bool operator==(const RibbonItem&, const RibbonItem&) = default;
};

// From left to right.
std::vector<RibbonItem> ribbon_items(const Trace& trace);

// "1–4", "T2T 1", "T2T 2 – 14": a range of layers as a short text.
std::string layer_range(const Model& model, int first, int last);

// Distributes a width: each gets what it wants plus an equal part of the rest. If there is too
// little, each gets the same fraction of what it wants beyond its minimum. Minimums shrink only if
// even they do not fit.
std::vector<float> share_out(const std::vector<float>& wanted, std::vector<float> least,
                             float room);

// A label that competes for space in a row.
struct Label {
    float center = 0, width = 0;
    int rank = 0;  // smaller ones choose first
    int row = 0;
};
// Selects the labels that fit without overlap, at least `gap` apart. A label outside [left, right]
// is moved inside.
std::vector<bool> place_labels(std::vector<Label>& labels, float gap, float left, float right);

}  // namespace headlight::screens

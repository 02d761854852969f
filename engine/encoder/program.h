#pragma once

#include <vector>

#include "checkpoint/model.h"
#include "trace/steps.h"

namespace headlight {

// A piece of a run, after which it can be interrupted.
struct Slice {
    enum class Kind {
        step,   // one step of the walk
        split,  // T2T: soft split `block` of the tokens that came so far
        enter,  // the layer that is looked at, `block`, begins: its weights, its input
        block,  // a whole layer that nobody looks at
    };
    Kind kind = Kind::step;
    Step step = Step::image;
    int block = 0;

    friend bool operator==(const Slice&, const Slice&) = default;
};

// The whole computation of a model in order, with `block` kept step by step.
std::vector<Slice> program(const Model& model, int block);

// The steps of the walk through a model with `block` looked at: what leads to it, its own, and what
// follows the last layer.
std::vector<Step> steps_of(const Model& model, int block);

}  // namespace headlight

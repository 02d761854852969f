#pragma once

#include <compare>

namespace headlight {

// One head of a model: the index of its layer and its index in that layer, both from 0.
struct HeadPlace {
    int layer = 0;
    int head = 0;

    friend auto operator<=>(const HeadPlace&, const HeadPlace&) = default;
};

}  // namespace headlight

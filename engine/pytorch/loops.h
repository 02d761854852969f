#pragma once

#include <string>
#include <vector>

namespace headlight {

// What computes one layer, as lines of Python.
struct LayerLines {
    int number = 0;     // as names of weights and results have it: "blocks.3.attn.qkv.weight"
    std::string name;   // for people: "Layer 4"
    std::string lines;  // each ends with a newline
};

// One layer after the other, each under its name. Neighbors whose lines differ in nothing but the
// number in what is quoted are written once, as a loop over `i`; so is nothing that would not say
// exactly the same.
std::string with_loops(const std::vector<LayerLines>& layers);

}  // namespace headlight

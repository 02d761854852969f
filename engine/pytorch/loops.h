#pragma once

#include <string>
#include <vector>

namespace headlight {

// Python lines that compute one layer.
struct LayerLines {
    int number = 0;     // the layer's index in names of weights and results:
                        // "blocks.3.attn.qkv.weight"
    std::string name;   // for people: "Layer 4"
    std::string lines;  // each ends with a newline
};

// The layers in order, each under its name. Consecutive layers whose lines differ only in the
// number inside quoted strings become a loop over `i`. Layers whose loop would not be exactly
// equivalent are written out.
std::string with_loops(const std::vector<LayerLines>& layers);

}  // namespace headlight

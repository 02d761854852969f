#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "gradient/class_maps.h"
#include "program/number_ranges.h"

// Class maps of one image, one per method, as drawn in a figure.
namespace headlight {

struct ClassMapSet {
    // One layer without a name, with one map per method, titled with the method's name. The token
    // is a class token, which has no place in the picture.
    TokenMaps maps;
    std::vector<MapMethod> methods;  // of these maps
    std::string of_class;  // name of the class; "" for a model without classes, or for no class

    // `image`: the preprocessed picture. Throws AnalysisError if the map's grid differs from that
    // of earlier maps.
    void add(MapMethod method, const ClassMap& map, const std::shared_ptr<const Image>& image,
             const Model& model);
};

// The heads that a method uses in question.layers, from 0, ascending. Empty, as in
// ClassMapQuestion, for all heads or if the method uses no attention. Throws ValueError if a layer
// has no such head.
std::vector<int> heads_to_read(const ClassMapQuestion& question, const NumberRanges& heads,
                               const Model& model);

}  // namespace headlight

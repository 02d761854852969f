#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "gradient/class_maps.h"
#include "program/number_ranges.h"

// Class maps of one image, one for each of several methods, as they are drawn in a figure.
namespace headlight {

struct ClassMapSet {
    // One layer without a name, and in it a map for each method under the method's title. Their
    // token is a class token: it has no place in the picture.
    TokenMaps maps;
    std::string of_class;  // its name; "": of a model without classes, or of no class

    // `image`: the framed pixels. Throws AnalysisError where the map has other patches than those
    // before it.
    void add(MapMethod method, const ClassMap& map, const std::shared_ptr<const Image>& image,
             const Model& model);
};

// The heads that a method reads of question.layers, from 0, ascending; of all heads and where it
// reads none: nothing, as ClassMapQuestion takes it. Throws ValueError where a layer has no such
// head.
std::vector<int> heads_to_read(const ClassMapQuestion& question, const NumberRanges& heads,
                               const Model& model);

}  // namespace headlight

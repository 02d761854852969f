#pragma once

#include <string>
#include <vector>

namespace headlight {

// The 1000 classes of ImageNet-1k (ILSVRC 2012) in the usual order of heads, 0 "tench" to 999
// "toilet tissue". They are sorted by WordNet 3.0 identifier, and each is named by the first of its
// WordNet synonyms. Five names are longer because another class has the same word: the cranes (134,
// 517), the maillots (638, 639) and the Cardigan Welsh corgi (264; 474 is the garment).
//
// Checked against torchvision's category list, PyTorch Hub's imagenet_classes.txt and timm's table
// of identifiers and synonyms, which agree.
const std::vector<std::string>& imagenet_names();

}  // namespace headlight

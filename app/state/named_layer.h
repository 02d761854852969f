#pragma once

#include <string>
#include <string_view>

#include "program/recipe.h"

namespace headlight {

// A layer named before its model is loaded: "3", or "T1" for the first of T2T's token transformers.
struct NamedLayer {
    int index = 0;  // from 0, among the layers or the token transformers
    bool is_transformer = false;

    // Throws CommandError if the text names no layer.
    static NamedLayer parse(std::string_view what, std::string_view text);
    static NamedLayer of(const Model& model, int layer);

    // Index among all layers of the model, which has at least one; the nearest layer if that one
    // does not exist.
    [[nodiscard]] int nearest_in(const Model& model) const;
    [[nodiscard]] std::string name() const;

    friend bool operator==(const NamedLayer&, const NamedLayer&) = default;
};

}  // namespace headlight

#pragma once

#include <string>
#include <string_view>

#include "program/recipe.h"

namespace headlight {

// The name of a layer whose model may not be loaded yet: "3", or "T1" for the first of T2T's token
// transformers.
struct NamedLayer {
    int index = 0;  // from 0, of the layers or of the token transformers
    bool is_transformer = false;

    // Throws CommandError.
    static NamedLayer parse(std::string_view what, std::string_view text);
    static NamedLayer of(const Model& model, int layer);

    // Among all layers of the model, of which there is at least one: that layer, or else the
    // nearest.
    [[nodiscard]] int nearest_in(const Model& model) const;
    [[nodiscard]] std::string name() const;

    friend bool operator==(const NamedLayer&, const NamedLayer&) = default;
};

}  // namespace headlight

#pragma once

#include <optional>
#include <string>
#include <utility>

#include "attention/mask.h"
#include "image/image.h"
#include "model/model.h"
#include "patches/patches.h"
#include "positions/positions.h"

// --attention: what a bare layer's file cannot say, and for a whole model what is changed to see
// what follows.
namespace headlight::cli {

// What is not set is left to the model.
struct AttentionOption {
    std::optional<int> heads;
    std::optional<std::optional<float>> scale;  // null: head_dim^-0.5 of a bare layer
    float temperature = 1.0F;
    std::optional<Skip> skip;
    MaskKind mask = MaskKind::none;

    std::optional<int> patch, stride;
    Ragged ragged = PatchSettings{}.ragged;
    std::optional<int> channels;                    // 1 or 3
    std::optional<std::pair<int, int>> image_size;  // height, width
    std::optional<Framing> framing;
    std::optional<PositionKind> positions;
};

// Which keys mean something: each scope includes those before it.
enum class Scope {
    layer,    // tokens are given
    patches,  // pixels are given
    image,    // an image is given
};

// Throws UsageError: not JSON, a value of another kind, an unknown key, one outside the scope or
// one that a whole model decides itself. Empty: nothing is said.
AttentionOption parse_attention(const std::string& text, Scope scope, const Model& model);

}  // namespace headlight::cli

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "attention/layer.h"
#include "image/image.h"
#include "patches/patches.h"
#include "positions/positions.h"
#include "trace/steps.h"

namespace headlight {

// Everything that decides the numbers of a walk. Plain data: two equal recipes give equal traces.
struct Recipe {
    std::string image;  // name of the image file
    int image_height = 160, image_width = 160;
    Framing framing = Framing::crop;
    bool grey = false;
    std::array<float, 3> mean{0.5F, 0.5F, 0.5F};
    std::array<float, 3> std{0.5F, 0.5F, 0.5F};

    PatchSettings patches;
    PositionKind position = PositionKind::sinusoidal;

    int channels = 64;
    int heads = 4;
    bool qkv_bias = false;
    std::optional<float> scale;
    float temperature = 1.0F;
    Skip skip = Skip::value;

    std::uint64_t seed = 0;
    std::string weights;  // a single layer's safetensors file; empty: drawn from the seed.
                          // A file decides channels and bias itself.

    friend bool operator==(const Recipe&, const Recipe&) = default;
};

// The first step whose result differs between two recipes; nothing where they are equal.
std::optional<Step> first_changed_step(const Recipe& before, const Recipe& after);

}  // namespace headlight

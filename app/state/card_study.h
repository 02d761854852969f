#pragma once

#include <array>
#include <vector>

#include "analysis/why_heads.h"
#include "tasks/studies.h"

// Trains one, two and four heads on the same task in a background task (analysis/why_heads.h).
namespace headlight {

inline constexpr std::array<int, 3> kCardHeads{1, 2, 4};

struct CardQuestion {
    std::uint64_t seed = 1;

    friend bool operator==(const CardQuestion&, const CardQuestion&) = default;
};
using CardTrainings = std::array<std::vector<CardCheckpoint>, kCardHeads.size()>;

using CardFinder = Study<CardQuestion, CardTrainings>;
extern const CardFinder kCardTraining;

}  // namespace headlight

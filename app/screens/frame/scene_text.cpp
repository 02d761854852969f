#include "frame/scene_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "scene/truth.h"

namespace headlight::screens {

std::string truth_in_words(const ShapeScene& scene) {
    if (const auto answer = answer_of(scene))
        return *answer == kNoPair ? "no pair" : answer_name(*answer) + " appears twice";
    int pairs = 0;
    for (int kind = 0; kind < kShapeKinds; ++kind) {
        const auto count =
            std::ranges::count(scene.shapes, static_cast<ShapeKind>(kind), &Shape::kind);
        if (count > 2)
            return fmt::format("no single answer: {} appears {} times", answer_name(kind), count);
        if (count == 2) ++pairs;
    }
    return fmt::format("no single answer: {} pairs", pairs == 2 ? "two" : "three");
}

}  // namespace headlight::screens

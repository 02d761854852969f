#include "scene/truth.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {

namespace {

std::array<int, kShapeKinds> count_kinds(const ShapeScene& scene) {
    std::array<int, kShapeKinds> count{};
    for (const Shape& shape : scene.shapes) ++count[static_cast<std::size_t>(shape.kind)];
    return count;
}

int shape_under(const ScenePicture& picture, int row, int col, int patch) {
    std::array<int, kMaxShapes> pixels{};
    for (int y = row * patch; y < (row + 1) * patch; ++y)
        for (int x = col * patch; x < (col + 1) * patch; ++x) {
            const auto shape = picture.shape_at[static_cast<std::size_t>(y) * picture.size + x];
            if (shape >= 0) ++pixels[static_cast<std::size_t>(shape)];
        }
    const auto most = std::max_element(pixels.begin(), pixels.end());
    return 4 * *most >= patch * patch ? static_cast<int>(most - pixels.begin()) : -1;
}

}  // namespace

std::optional<int> answer_of(const ShapeScene& scene) {
    const auto count = count_kinds(scene);
    const auto many = std::count_if(count.begin(), count.end(), [](int n) { return n > 1; });
    if (many == 0) return kNoPair;
    const auto twice = std::find(count.begin(), count.end(), 2);
    if (many > 1 || twice == count.end()) return std::nullopt;
    return static_cast<int>(twice - count.begin());
}

std::string answer_name(int answer) {
    return std::string(answer == kNoPair ? "no pair" : name_of(static_cast<ShapeKind>(answer)));
}

std::vector<int> twins_of(const ShapeScene& scene) {
    const auto count = count_kinds(scene);
    const auto& shapes = scene.shapes;
    std::vector<int> twins(shapes.size(), -1);
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (std::size_t j = 0; j < shapes.size(); ++j)
            if (i != j && shapes[i].kind == shapes[j].kind &&
                count[static_cast<std::size_t>(shapes[i].kind)] == 2)
                twins[i] = static_cast<int>(j);
    return twins;
}

int cell_of(const Shape& shape, int grid) {
    const auto index = [&](float at) {
        return std::clamp(static_cast<int>(std::floor(1.0 * at * grid / kSceneSize)), 0, grid - 1);
    };
    return index(shape.y) * grid + index(shape.x);
}

SceneTruth truth_of(const ShapeScene& scene, const ScenePicture& picture, int patch) {
    const int grid = picture.size / patch;
    const std::vector<int> twins = twins_of(scene);
    SceneTruth truth;
    for (int row = 0; row < grid; ++row)
        for (int col = 0; col < grid; ++col) {
            const int shape = shape_under(picture, row, col, patch);
            const int twin = shape >= 0 ? twins[static_cast<std::size_t>(shape)] : -1;
            truth.shape.push_back(static_cast<std::int16_t>(shape));
            truth.kind.push_back(static_cast<std::int16_t>(
                shape >= 0 ? static_cast<int>(scene.shapes[static_cast<std::size_t>(shape)].kind)
                           : kShapeKinds));
            truth.twin_cell.push_back(
                twin >= 0 ? cell_of(scene.shapes[static_cast<std::size_t>(twin)], grid) : -1);
        }
    return truth;
}

}  // namespace headlight

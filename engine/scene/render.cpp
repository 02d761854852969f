#include "scene/render.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/random.h"
#include "scene/outline.h"
#include "scene/turn.h"

namespace headlight {

namespace {

using Color = std::array<float, 3>;

Color values_of(const Rgb& color) { return {color.red, color.green, color.blue}; }

// A canvas of floats, rounded once at the end.
class Canvas {
  public:
    explicit Canvas(int size)
        : size_(size),
          scale_(static_cast<double>(size) / kSceneSize),
          colors_(static_cast<std::size_t>(size) * size),
          shape_at_(colors_.size(), -1) {}

    void fill(const Background& background);
    void paint(const Shape& shape, std::int16_t index);
    void add_grain(float deviation, std::uint32_t seed);
    [[nodiscard]] ScenePicture finish() &&;

  private:
    [[nodiscard]] std::size_t cell(int row, int col) const {
        return static_cast<std::size_t>(row) * size_ + col;
    }
    // Range of pixels whose centers are in [low, high], in scene units.
    [[nodiscard]] std::array<int, 2> span(double low, double high) const {
        const auto pixel = [&](double at) {
            return static_cast<int>(std::clamp(std::floor(at * scale_), 0.0, 1.0 * size_));
        };
        return {pixel(low), std::min(pixel(high) + 1, size_)};
    }

    int size_;
    double scale_;  // pixels per unit
    std::vector<Color> colors_;
    std::vector<std::int16_t> shape_at_;
};

// The gradient spans the frame from corner to corner in any direction.
void Canvas::fill(const Background& background) {
    const SineAndCosine t = turn(background.direction);
    const double reach = (std::abs(t.cos) + std::abs(t.sin)) * size_;
    const Color from = values_of(background.from), to = values_of(background.to);
    for (int row = 0; row < size_; ++row)
        for (int col = 0; col < size_; ++col) {
            const double x = col + 0.5 - 0.5 * size_, y = row + 0.5 - 0.5 * size_;
            const auto part = static_cast<float>(0.5 + (t.cos * x + t.sin * y) / reach);
            for (int c = 0; c < 3; ++c)
                colors_[cell(row, col)][c] = from[c] + part * (to[c] - from[c]);
        }
}

void Canvas::paint(const Shape& shape, std::int16_t index) {
    const Outline outline(shape);
    const Color color = values_of(shape.color);
    const double reach = shape.radius + 1 / scale_;
    const auto [top, bottom] = span(shape.y - reach, shape.y + reach);
    const auto [left, right] = span(shape.x - reach, shape.x + reach);
    for (int row = top; row < bottom; ++row)
        for (int col = left; col < right; ++col) {
            const double distance = outline.distance((col + 0.5) / scale_, (row + 0.5) / scale_);
            const auto cover = static_cast<float>(std::clamp(0.5 - distance * scale_, 0.0, 1.0));
            if (cover == 0) continue;
            for (int c = 0; c < 3; ++c)
                colors_[cell(row, col)][c] += cover * (color[c] - colors_[cell(row, col)][c]);
            if (cover >= 0.5F) shape_at_[cell(row, col)] = index;
        }
}

// Nearly Gaussian noise: the sum of eight bytes of one random number. Gray, like sensor noise.
void Canvas::add_grain(float deviation, std::uint32_t seed) {
    constexpr float kMean = 8 * 127.5F;
    constexpr float kDeviation = 209.0120F;  // √(8·(256² − 1)/12)
    SplitMix random(seed);
    for (Color& color : colors_) {
        std::uint64_t bits = random.next();
        int sum = 0;
        for (int i = 0; i < 8; ++i, bits >>= 8U) sum += static_cast<int>(bits & 0xFFU);
        const float grain = deviation * (static_cast<float>(sum) - kMean) / kDeviation;
        for (float& value : color) value += grain;
    }
}

ScenePicture Canvas::finish() && {
    ScenePicture picture{size_, {}, std::move(shape_at_)};
    picture.pixels.reserve(3 * colors_.size());
    for (const Color& color : colors_)
        for (const float value : color)
            picture.pixels.push_back(
                static_cast<std::uint8_t>(std::floor(std::clamp(value, 0.0F, 1.0F) * 255 + 0.5F)));
    return picture;
}

}  // namespace

ScenePicture draw_scene(const ShapeScene& scene, int size) {
    Canvas canvas(size);
    canvas.fill(scene.background);
    for (std::size_t i = 0; i < scene.shapes.size(); ++i)
        canvas.paint(scene.shapes[i], static_cast<std::int16_t>(i));
    canvas.add_grain(scene.background.noise, scene.background.grain);
    return std::move(canvas).finish();
}

Image to_image(const ScenePicture& picture) {
    Image image{picture.size, picture.size, 3, {}};
    image.values.reserve(picture.pixels.size());
    for (const std::uint8_t value : picture.pixels)
        image.values.push_back(static_cast<float>(value) / 255);
    return image;
}

}  // namespace headlight

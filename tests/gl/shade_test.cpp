#include <array>
#include <limits>
#include <random>

#include "gl_test.h"

// Compares the heatmap colors computed on the CPU with the shader's.
namespace headlight::gl::shade_test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class ShadeTest : public GlTest {
  protected:
    std::vector<Rgba> on_gpu(const std::vector<float>& cells, int rows, int cols, int height,
                             int width, const HeatmapStyle& style) {
        RenderTarget target(width, height);
        renderer_.draw({cells.data(), rows, cols, cols},
                       {0, 0, static_cast<float>(rows), static_cast<float>(cols)}, style, target);
        return read_texture(target.texture(), width, height);
    }

  private:
    HeatmapRenderer renderer_;
};

std::vector<HeatmapStyle> styles() {
    std::vector<HeatmapStyle> all(4);
    all[0].map = ColorMap::blue_white_red;
    all[0].low = -2;
    all[0].high = 2;
    all[1].curve = Curve::square_root;
    all[2].curve = Curve::logarithm;
    all[2].low = all[2].anchor = 0.01F;
    all[3].cut = true;
    all[3].high = 0.7F;
    return all;
}

std::vector<float> cells_of(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(-0.5F, 1.5F);
    std::vector<float> cells(static_cast<std::size_t>(count));
    for (float& cell : cells) cell = values(random);
    for (const float odd : {kNaN, kInfinity, -kInfinity}) cells[random() % cells.size()] = odd;
    return cells;
}

// The GPU's logarithm may round to the next of the 256 colors.
bool alike(const Rgba& a, Rgb b, const HeatmapStyle& style) {
    if (a == opaque(b)) return true;
    const auto colors = table(style.map);
    for (std::size_t i = 0; i < colors.size(); ++i)
        if (colors[i] == b)
            return (i > 0 && a == opaque(colors[i - 1])) ||
                   (i + 1 < colors.size() && a == opaque(colors[i + 1]));
    return false;
}

TEST_F(ShadeTest, one_cell_has_the_shaders_color) {
    const std::vector<float> cells = cells_of(40 * 50, 5);
    for (const HeatmapStyle& style : styles()) {
        const std::vector<Rgba> pixels = on_gpu(cells, 40, 50, 40, 50, style);
        for (std::size_t i = 0; i < cells.size(); ++i)
            ASSERT_TRUE(alike(pixels[i], color_of(style, cells[i]), style)) << cells[i];
    }
}

TEST_F(ShadeTest, several_cells_have_the_color_of_the_same_one) {
    constexpr int kSide = 64, kShrunk = 16, kBlock = kSide / kShrunk;
    const std::vector<float> cells = cells_of(kSide * kSide, 7);
    for (const HeatmapStyle& style : styles()) {
        const std::vector<Rgba> pixels = on_gpu(cells, kSide, kSide, kShrunk, kShrunk, style);
        for (int y = 0; y < kShrunk; ++y)
            for (int x = 0; x < kShrunk; ++x) {
                std::vector<float> block;
                for (int r = 0; r < kBlock; ++r)
                    for (int c = 0; c < kBlock; ++c)
                        block.push_back(cells[static_cast<std::size_t>((y * kBlock + r) * kSide +
                                                                       x * kBlock + c)]);
                ASSERT_TRUE(alike(pixels[static_cast<std::size_t>(y * kShrunk + x)],
                                  color_of(style, farthest(style, block)), style));
            }
    }
}

}  // namespace
}  // namespace headlight::gl::shade_test

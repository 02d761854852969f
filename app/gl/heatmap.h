#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gl/colormap.h"
#include "gl/curve.h"
#include "gl/objects.h"
#include "gl/pyramid.h"

// Matrices drawn by the GPU. All calls need a current OpenGL 3.3 (ES 3.0) context.
namespace headlight::gl {

// The rectangle of cells to be shown, in cells from the top left; fractions and parts outside the
// matrix are allowed (outside is transparent).
struct CellWindow {
    float row = 0, col = 0, rows = 1, cols = 1;
    friend bool operator==(const CellWindow&, const CellWindow&) = default;
};

// Cells along one side of the largest texels that lose nothing in a picture of width × height
// pixels: a power of two.
int grain_for(int rows, int cols, const CellWindow& window, int width, int height);

// A matrix as the GPU takes it. No OpenGL here.
struct HeatmapLevels {
    int rows = 0, cols = 0, stride = 0, grain = 1;
    const float* cells = nullptr;  // null: they are too many, or finer than the grain
    std::vector<Grid> grids;       // from fine to coarse, each with at most `largest` texels a side
};

// rows × cols floats, `stride` floats from row to row. Throws std::invalid_argument unless rows,
// cols
// >= 1 and stride >= cols. grain: a power of two. largest: side of a texture, see
// largest_texture().
HeatmapLevels heatmap_levels(const float* cells, int rows, int cols, int stride, int grain,
                             int largest);
int largest_texture();  // of the context

// A matrix on the GPU: the cells as R32F, and above them a pyramid of extremes (smallest and
// largest as RG32F, infinities among them; both NaN above a NaN), so that shrinking never loses a
// peak. What is finer than `grain` is left away: the attention of 3600 tokens takes 52 MB, its
// thumbnail needs 0.1 MB of them. A matrix larger than the GPU's largest texture is kept from the
// first pyramid level that fits, halved only along the axes that are too long: magnified, it shows
// the extremes of 2, 4, ... cells as one.
class HeatmapTexture {
  public:
    // The cells are read during the call only.
    explicit HeatmapTexture(const HeatmapLevels& levels);
    HeatmapTexture(const float* cells, int rows, int cols, int stride, int grain = 1)
        : HeatmapTexture(heatmap_levels(cells, rows, cols, stride, grain, largest_texture())) {}
    ~HeatmapTexture();
    HeatmapTexture(HeatmapTexture&&) noexcept;
    HeatmapTexture& operator=(HeatmapTexture&&) noexcept;
    HeatmapTexture(const HeatmapTexture&) = delete;
    HeatmapTexture& operator=(const HeatmapTexture&) = delete;

    [[nodiscard]] int rows() const;
    [[nodiscard]] int cols() const;
    [[nodiscard]] int grain() const;
    [[nodiscard]] std::size_t bytes() const;  // on the GPU

  private:
    friend class HeatmapRenderer;
    struct Data;
    std::unique_ptr<Data> data_;
};

struct HeatmapStyle {
    ColorMap map = ColorMap::viridis;
    float low = 0.0F,
          high = 1.0F;  // values of the map's two ends; beyond them the end's color. low < high
    Curve curve = Curve::linear;  // between them; its conditions on low are the caller's
    bool cut = false;             // above high: `clipped` instead of the end's color
    // Of the cells under one pixel, the one farthest from this value is shown.
    // Farthest as the curve has it. Diverging maps: the value in the map's middle; sequential ones:
    // low.
    float anchor = 0.0F;
    Rgb nan{255, 0, 200};
    Rgb infinite_high{0, 255, 120}, infinite_low{0, 0, 0};  // blocked scores are -infinity
    Rgb clipped{0, 229, 255};
    // Between the cells' middles the numbers, not their colors, run from one to the next (see
    // smooth.h); where a pixel holds more than one cell, as without it.
    bool smooth = false;

    friend bool operator==(const HeatmapStyle&, const HeatmapStyle&) = default;
};

// The color of one cell, as the shader has it.
Rgb color_of(const HeatmapStyle& style, float value);
// What stands for several cells where there is no room for each, as the shader chooses: a NaN, else
// an infinity (+ before -), else the cell farthest from the anchor. cells: one at least.
float farthest(const HeatmapStyle& style, std::span<const float> cells);

// An RGBA8 texture to draw into. Row 0 is the top, so ImGui shows it upright with uv (0,0)-(1,1).
class RenderTarget {
  public:
    // width, height >= 1; what it shows before the first drawing is undefined
    RenderTarget(int width, int height);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] std::uint32_t texture() const { return texture_.id(); }

  private:
    friend class HeatmapRenderer;
    Texture texture_;
    Framebuffer framebuffer_;
    int width_ = 0, height_ = 0;
};

// Shader and color-map table; one for all heatmaps.
class HeatmapRenderer {
  public:
    HeatmapRenderer();  // throws std::runtime_error with the driver's message when a shader does
                        // not compile
    ~HeatmapRenderer();
    HeatmapRenderer(const HeatmapRenderer&) = delete;
    HeatmapRenderer& operator=(const HeatmapRenderer&) = delete;

    // Fills the target. A pixel no larger than a cell shows the cell at its center, or where the
    // style is smooth what lies between cells there. Otherwise each
    // cell under the picture is shown, in its own pixel or, where pixels are two cells or larger,
    // at most one pixel beside it. NaN wins over infinity (+ over -), infinity over numbers. Leaves
    // OpenGL's state as it found it (bindings, viewport, program, blending, tests, masks).
    void draw(const HeatmapTexture& texture, const CellWindow& window, const HeatmapStyle& style,
              RenderTarget& target);

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace headlight::gl

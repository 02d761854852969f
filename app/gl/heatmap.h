#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gl/colormap.h"
#include "gl/objects.h"
#include "gl/pyramid.h"

// Matrices drawn by the GPU. All calls need a current OpenGL 3.3 (ES 3.0) context.
namespace headlight::gl {

// The visible rectangle, in cells from the top left. Fractions, and parts outside the matrix, are
// allowed; those are transparent.
struct CellWindow {
    float row = 0, col = 0, rows = 1, cols = 1;
    friend bool operator==(const CellWindow&, const CellWindow&) = default;
};

// Cells along a side of the largest texel that is still exact in a picture of width × height
// pixels: a power of two.
int grain_for(int rows, int cols, const CellWindow& window, int width, int height);

// A matrix prepared for upload to the GPU. Uses no OpenGL.
struct HeatmapLevels {
    int rows = 0, cols = 0, stride = 0, grain = 1;
    const float* cells = nullptr;  // null: too many, or finer than the grain
    std::vector<Grid> grids;       // fine to coarse, each at most `largest` texels a side
};

// rows × cols floats, `stride` floats from row to row. Throws std::invalid_argument unless rows,
// cols >= 1 and stride >= cols. grain: a power of two. largest: maximum side of a texture, see
// largest_texture().
HeatmapLevels heatmap_levels(const float* cells, int rows, int cols, int stride, int grain,
                             int largest);
int largest_texture();  // of the context, in texels

// A matrix on the GPU: the cells as R32F, and a pyramid of extremes (minimum and maximum as RG32F,
// including infinities; both NaN above a NaN), so that shrinking never loses a peak. Levels finer
// than `grain` are left out: the attention of 3600 tokens takes 52 MB, and its thumbnail needs 0.1
// MB of that. A matrix larger than the GPU's largest texture is stored from the first pyramid level
// that fits, halved only along the axes that are too long. Magnified, it shows the extremes of 2,
// 4, ... cells as one cell.
class HeatmapTexture {
  public:
    // Reads the cells only during the call.
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
          high = 1.0F;            // values at the ends of the map, low < high; others are clamped
    Curve curve = Curve::linear;  // the caller ensures its conditions on `low`
    bool cut = false;             // values above `high` get `clipped`
    // Of the cells under one pixel, shows the one farthest from this value, measured on the curve.
    // Diverging maps: the value in the map's middle; sequential ones: low.
    float anchor = 0.0F;
    Rgb nan{255, 0, 200};
    Rgb infinite_high{0, 255, 120}, infinite_low{0, 0, 0};  // blocked scores are -infinity
    Rgb clipped{0, 229, 255};
    // Interpolates values (not colors) between cell centers, see smooth.h. No effect where a pixel
    // covers more than one cell.
    bool smooth = false;

    friend bool operator==(const HeatmapStyle&, const HeatmapStyle&) = default;
};

// The color of one cell, the same as the shader's.
Rgb color_of(const HeatmapStyle& style, float value);
// The value that represents several cells in one pixel, chosen as in the shader: a NaN, else an
// infinity (+ before -), else the cell farthest from the anchor. cells: at least one.
float farthest(const HeatmapStyle& style, std::span<const float> cells);

// An RGBA8 texture as a render target. Row 0 is the top, so ImGui shows it upright with uv
// (0,0)-(1,1).
class RenderTarget {
  public:
    // width, height >= 1; the content is undefined before the first drawing.
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

// The shader and color-map table, shared by all heatmaps.
class HeatmapRenderer {
  public:
    HeatmapRenderer();  // throws std::runtime_error with the driver's message when a shader does
                        // not compile
    ~HeatmapRenderer();
    HeatmapRenderer(const HeatmapRenderer&) = delete;
    HeatmapRenderer& operator=(const HeatmapRenderer&) = delete;

    // Fills the target. A pixel no larger than a cell shows the cell at its center or, in a smooth
    // style, the interpolated value there. Otherwise every cell in the window is shown, in its own
    // pixel or, where a pixel covers two cells or more, at most one pixel away. NaN wins over
    // infinity (+ over -), infinity over numbers. Restores OpenGL's state (bindings, viewport,
    // program, blending, tests, masks).
    void draw(const HeatmapTexture& texture, const CellWindow& window, const HeatmapStyle& style,
              RenderTarget& target);

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace headlight::gl

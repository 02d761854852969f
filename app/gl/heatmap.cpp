#include "gl/heatmap.h"

#include <algorithm>
#include <array>
#include <glm/gtc/type_ptr.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gl/api.h"
#include "gl/pyramid.h"
#include "gl/saved_state.h"
#include "gl/smooth.h"
#include "shaders/sources.h"

namespace headlight::gl {
namespace {

struct Level {
    Texture texture;
    int rows, cols;
    int row_cells, col_cells;  // cells of the matrix per texel
    bool reduced;              // holds (minimum, maximum) instead of cells
};

Level upload_cells(const float* cells, int rows, int cols, int stride) {
    Texture texture = make_texture();
    glPixelStorei(GL_UNPACK_ROW_LENGTH, stride);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, cols, rows, 0, GL_RED, GL_FLOAT, cells);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    return {std::move(texture), rows, cols, 1, 1, false};
}

Level upload_grid(const Grid& grid) {
    static_assert(sizeof(Extremes) == 2 * sizeof(float));
    Texture texture = make_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32F, grid.cols, grid.rows, 0, GL_RG, GL_FLOAT,
                 grid.texels.data());
    return {std::move(texture), grid.rows, grid.cols, grid.row_cells, grid.col_cells, true};
}

}  // namespace

int grain_for(int rows, int cols, const CellWindow& window, int width, int height) {
    const auto suits = [&](int grain) {
        return fine_enough({window.row, window.rows, height, rows, grain}) &&
               fine_enough({window.col, window.cols, width, cols, grain});
    };
    int grain = 1;
    while (grain < std::max(rows, cols) && suits(2 * grain)) grain *= 2;
    return grain;
}

struct HeatmapTexture::Data {
    int rows, cols, grain;
    std::vector<Level> levels;  // fine to coarse; at least one

    [[nodiscard]] Axis row_axis(const CellWindow& window, const RenderTarget& target,
                                const Level& level) const {
        return {window.row, window.rows, target.height(), rows, level.row_cells};
    }
    [[nodiscard]] Axis col_axis(const CellWindow& window, const RenderTarget& target,
                                const Level& level) const {
        return {window.col, window.cols, target.width(), cols, level.col_cells};
    }

    // The coarsest level that is still exact, so that a pixel needs about 2 × 2 of its texels.
    // (More along the longer side of pixels that are not square.)
    [[nodiscard]] const Level& level_for(const CellWindow& window,
                                         const RenderTarget& target) const {
        const auto suits = [&](const Level& level) {
            return fine_enough(row_axis(window, target, level)) &&
                   fine_enough(col_axis(window, target, level));
        };
        const auto coarsest = std::find_if(levels.rbegin(), levels.rend(), suits);
        return coarsest == levels.rend() ? levels.front() : *coarsest;
    }
};

HeatmapLevels heatmap_levels(const float* cells, int rows, int cols, int stride, int grain,
                             int largest) {
    if (rows < 1 || cols < 1 || stride < cols) {
        throw std::invalid_argument("heatmap of " + std::to_string(rows) + " x " +
                                    std::to_string(cols) + " cells, " + std::to_string(stride) +
                                    " from row to row");
    }
    const auto fits = [largest](const Grid& grid) {
        return grid.rows <= largest && grid.cols <= largest;
    };
    HeatmapLevels result{rows, cols, stride, grain, nullptr, {}};
    Grid spare{rows, cols, 1, 1, {}};  // for levels not kept: the cells, or too large
    const Grid* last = &spare;
    const auto add = [&](Grid grid) {
        if (fits(grid))
            result.grids.push_back(std::move(grid));
        else
            spare = std::move(grid);
        last = result.grids.empty() ? &spare : &result.grids.back();
    };
    if (!fits(spare))
        result.grain = 1;
    else if (grain == 1)
        result.cells = cells;
    else
        add(coarser(cells, rows, cols, stride, grain));
    while (last->rows > 1 || last->cols > 1) {
        const bool halve_rows = fits(*last) || last->rows > largest;
        const bool halve_cols = fits(*last) || last->cols > largest;
        add(last->texels.empty() ? coarser(cells, rows, cols, stride, halve_rows, halve_cols)
                                 : coarser(*last, halve_rows, halve_cols));
    }
    return result;
}

int largest_texture() {
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    return largest;
}

HeatmapTexture::HeatmapTexture(const HeatmapLevels& levels)
    : data_(new Data{levels.rows, levels.cols, levels.grain, {}}) {
    const SavedUploadState saved;
    if (levels.cells != nullptr)
        data_->levels.push_back(
            upload_cells(levels.cells, levels.rows, levels.cols, levels.stride));
    for (const Grid& grid : levels.grids) data_->levels.push_back(upload_grid(grid));
}

HeatmapTexture::~HeatmapTexture() = default;
HeatmapTexture::HeatmapTexture(HeatmapTexture&&) noexcept = default;
HeatmapTexture& HeatmapTexture::operator=(HeatmapTexture&&) noexcept = default;

int HeatmapTexture::rows() const { return data_->rows; }
int HeatmapTexture::cols() const { return data_->cols; }
int HeatmapTexture::grain() const { return data_->grain; }

std::size_t HeatmapTexture::bytes() const {
    std::size_t sum = 0;
    for (const Level& level : data_->levels) {
        sum += static_cast<std::size_t>(level.rows) * level.cols *
               (level.reduced ? sizeof(Extremes) : sizeof(float));
    }
    return sum;
}

RenderTarget::RenderTarget(int width, int height) : width_(width), height_(height) {
    if (width < 1 || height < 1) {
        throw std::invalid_argument("render target of " + std::to_string(width) + " x " +
                                    std::to_string(height) + " pixels");
    }
    const SavedUploadState saved;
    texture_ = make_texture();
    // BGRA, as in windows: the fastest format for Mesa's software rendering.
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, kWindowFormat, GL_UNSIGNED_BYTE,
                 nullptr);

    GLint bound = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    framebuffer_ = make_framebuffer();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_.id());
    glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.id(),
                           0);
    const GLenum status = glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(bound));
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        throw std::runtime_error("the graphics driver cannot draw into a texture of " +
                                 std::to_string(width) + " x " + std::to_string(height) +
                                 " pixels");
    }
}

namespace {

// Texture units; at most as many as SavedDrawState saves.
enum Unit { kCells, kSpans, kColors };

// What a pixel shows; the same numbers as in heatmap.frag.
enum class Shows { texels, cell, between };

std::string fragment_for(Curve curve, Shows shows) {
    return "#define CURVE " + std::to_string(static_cast<int>(curve)) + "\n#define SHOWS " +
           std::to_string(static_cast<int>(shows)) + "\n" + std::string(shaders::heatmap_frag);
}

// The shader for one curve and one kind of pixel. Only the uniforms that it uses are set.
struct Shading {
    Program program;
    GLint reduced = place("u_reduced"), map = place("u_map"), low = place("u_low"),
          high = place("u_high"), anchor = place("u_anchor"), nan = place("u_nan"),
          infinite_high = place("u_infinite_high"), infinite_low = place("u_infinite_low"),
          cut = place("u_cut"), clipped = place("u_clipped"), first = place("u_first"),
          each = place("u_each");

    // Leaves the program in use.
    Shading(Curve curve, Shows shows)
        : program(make_program("heatmap", shaders::screen_vert, fragment_for(curve, shows))) {
        glUseProgram(program.id());
        glUniform1i(uniform(program, "u_cells"), kCells);
        glUniform1i(uniform(program, "u_spans"), kSpans);
        glUniform1i(uniform(program, "u_colors"), kColors);
    }
    void set_style(const HeatmapStyle& style) const;
    void set_places(const CellWindow& window, const RenderTarget& target) const;

  private:
    [[nodiscard]] GLint place(const char* name) const {
        return glGetUniformLocation(program.id(), name);  // -1 if unused: setting it does nothing
    }
};

void Shading::set_style(const HeatmapStyle& style) const {
    const auto set_color = [](GLint place, Rgb color) {
        glUniform3fv(place, 1, glm::value_ptr(glm::vec3(color) / 255.0F));
    };
    glUniform1i(map, static_cast<GLint>(style.map));
    glUniform1f(low, style.low);
    glUniform1f(high, style.high);
    glUniform1f(anchor, style.anchor);
    glUniform1i(cut, style.cut ? 1 : 0);
    set_color(clipped, style.clipped);
    set_color(nan, style.nan);
    set_color(infinite_high, style.infinite_high);
    set_color(infinite_low, style.infinite_low);
}

// Computes the cells around a pixel's center.
void Shading::set_places(const CellWindow& window, const RenderTarget& target) const {
    glUniform2f(first, window.col, window.row);
    glUniform2f(each, window.cols / static_cast<float>(target.width()),
                window.rows / static_cast<float>(target.height()));
}

}  // namespace

struct HeatmapRenderer::Data {
    std::map<std::pair<Curve, Shows>, Shading> shadings;  // created on first use
    VertexArray vertices = make_vertex_array();  // empty, but the core profile needs one bound
    Texture colors;
    // Cached by their axes. Pictures of equal size share them, and nothing is uploaded while only
    // the content changes; an upload would wait for pictures still being drawn.
    using SpanKey = std::tuple<double, double, int, int, int, double, double, int, int, int>;
    struct Spans {
        Texture texture;
        bool single;  // no pixel has several texels
    };
    std::map<SpanKey, Spans> spans;
    std::vector<Span> columns_then_rows;  // reused buffer

    void upload_colors();
    const Spans& bind_spans(const Axis& rows, const Axis& cols);
    Spans upload_spans(const Axis& rows, const Axis& cols);
    const Shading& use(Curve curve, Shows shows);
};

void HeatmapRenderer::Data::upload_colors() {
    std::vector<std::array<std::uint8_t, 4>> texels;
    for (int i = 0; i < kColorMapCount; ++i) {
        for (const Rgb color : table(static_cast<ColorMap>(i))) {
            texels.push_back({color.r, color.g, color.b, 255});
        }
    }
    const SavedUploadState saved;
    colors = make_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, kColorMapCount, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels.data());
}

// The texels under a pixel are the same along a whole column or row of pixels. So they are computed
// here once for each, in double precision, rather than in every pixel.
HeatmapRenderer::Data::Spans HeatmapRenderer::Data::upload_spans(const Axis& rows,
                                                                 const Axis& cols) {
    const int width = std::max(rows.pixels, cols.pixels);
    columns_then_rows.assign(2 * static_cast<std::size_t>(width), {});
    assign_spans(cols, std::span(columns_then_rows).first(cols.pixels));
    assign_spans(rows, std::span(columns_then_rows).subspan(width, rows.pixels));
    Texture texture = make_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32I, width, 2, 0, GL_RG_INTEGER, GL_INT,
                 columns_then_rows.data());
    const auto several = [](const Span& span) { return span.end - span.begin > 1; };
    return {std::move(texture), std::ranges::none_of(columns_then_rows, several)};
}

const HeatmapRenderer::Data::Spans& HeatmapRenderer::Data::bind_spans(const Axis& rows,
                                                                      const Axis& cols) {
    constexpr std::size_t kMost = 512;  // zooming creates new ones in each frame
    if (spans.size() >= kMost) spans.clear();
    glActiveTexture(GL_TEXTURE0 + kSpans);
    const SpanKey key{rows.start, rows.length, rows.pixels, rows.cells, rows.group,
                      cols.start, cols.length, cols.pixels, cols.cells, cols.group};
    auto found = spans.find(key);
    if (found == spans.end()) found = spans.emplace(key, upload_spans(rows, cols)).first;
    glBindTexture(GL_TEXTURE_2D, found->second.texture.id());
    return found->second;
}

const Shading& HeatmapRenderer::Data::use(Curve curve, Shows shows) {
    const Shading& shading =
        shadings.try_emplace(std::pair(curve, shows), curve, shows).first->second;
    glUseProgram(shading.program.id());
    return shading;
}

HeatmapRenderer::HeatmapRenderer() : data_(std::make_unique<Data>()) {
    data_->upload_colors();
    GLint bound = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &bound);
    data_->use(Curve::linear, Shows::texels);
    glUseProgram(static_cast<GLuint>(bound));
}

HeatmapRenderer::~HeatmapRenderer() = default;

void HeatmapRenderer::draw(const HeatmapTexture& texture, const CellWindow& window,
                           const HeatmapStyle& style, RenderTarget& target) {
    const SavedUploadState saved_upload;
    const SavedDrawState saved_draw;
    const HeatmapTexture::Data& matrix = *texture.data_;
    const Level& level = matrix.level_for(window, target);

    const auto& spans = data_->bind_spans(matrix.row_axis(window, target, level),
                                          matrix.col_axis(window, target, level));
    const bool single = spans.single && !level.reduced;
    const bool between =
        style.smooth && single && shows_between(window, target.width(), target.height());
    glActiveTexture(GL_TEXTURE0 + kCells);
    glBindTexture(GL_TEXTURE_2D, level.texture.id());
    glActiveTexture(GL_TEXTURE0 + kColors);
    glBindTexture(GL_TEXTURE_2D, data_->colors.id());

    const Shading& shading = data_->use(style.curve, between  ? Shows::between
                                                     : single ? Shows::cell
                                                              : Shows::texels);
    glUniform1i(shading.reduced, level.reduced ? 1 : 0);
    shading.set_style(style);
    shading.set_places(window, target);
    glBindVertexArray(data_->vertices.id());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.framebuffer_.id());
    glViewport(0, 0, target.width(), target.height());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace headlight::gl

#pragma once

#include <filesystem>

#include "export/figure_sheet.h"
#include "figure/plot_sheet.h"
#include "platform/gui.h"
#include "ui/context.h"

// `headlight figure`: maps of selected heads as a picture for a paper or a slide.
namespace headlight::app {

// Renders sheets to pixels, independent of a window. Needs a current OpenGL context.
class FigureRenderer {
  public:
    FigureRenderer();
    // Size in pixels at `scale` pixels per unit.
    ImVec2 size_of(const FigureSheet& made, const FigureOptions& options, float scale);
    // Throws std::runtime_error if there is not enough GPU memory.
    Picture print(const FigureSheet& made, const FigureOptions& options, float scale);

  private:
    void begin(const FigureOptions& options, float scale);

    Gui gui_;
    ui::Context ui_;
};

// Saves formats that need no OpenGL: SVG; and with librsvg (figure/svg_render.h) PDF, and PNGs that
// are transparent or have a printed width, or all if `always`. Writes atomically, with the
// provenance. Returns false if nothing was saved and a FigureRenderer must draw it. Throws
// std::runtime_error.
bool save_without_press(const FigureSheet& made, const FigureOptions& options,
                        const std::filesystem::path& out, bool always = false);

// Draws the selected maps of each query, or their differences, and writes an .svg, .png or .pdf
// file. PDFs, transparent PNGs and PNGs without a display are rendered by librsvg
// (figure/svg_render.h). Throws std::runtime_error, WindowError.
void save_figure(MapsOfBoth maps, const FigureOptions& options, const std::filesystem::path& out);

// Plots values by layer instead of maps. Of `options`, only page background and printed width
// apply.
void save_plots(const figure::PlotSheet& plots, const figure::Provenance& facts,
                const FigureOptions& options, const std::filesystem::path& out);

}  // namespace headlight::app

#pragma once

#include <filesystem>

#include "figure/plot_sheet.h"
#include "platform/figure_sheet.h"
#include "platform/gui.h"
#include "ui/context.h"

// `headlight figure`: maps of chosen heads as a picture for a paper or a slide.
namespace headlight::platform {

// Draws sheets in pixels, beside whatever window there is. Needs a current OpenGL context.
class FigureRenderer {
  public:
    FigureRenderer();
    // Pixels, with so many for each unit.
    ImVec2 size_of(const FigureSheet& made, const FigureOptions& options, float scale);
    // Throws std::runtime_error where the GPU has no room for them.
    Picture print(const FigureSheet& made, const FigureOptions& options, float scale);

  private:
    void begin(const FigureOptions& options, float scale);

    Gui gui_;
    ui::Context ui_;
};

// Saves what needs no OpenGL: SVG; and by librsvg (figure/svg_render.h) PDF, and PNGs that are
// transparent or as wide as they are printed, or `always`. Whole or not at all, with what made it.
// False: nothing was saved, because a FigureRenderer draws it. Throws std::runtime_error.
bool save_without_press(const FigureSheet& made, const FigureOptions& options,
                        const std::filesystem::path& out, bool always = false);

// Draws the maps of each query that were chosen, or their differences, and writes the file, .svg or
// .png or .pdf. PDFs, transparent PNGs and PNGs where there is no display are drawn by librsvg
// (figure/svg_render.h). Throws std::runtime_error, WindowError.
void save_figure(MapsOfBoth maps, const FigureOptions& options, const std::filesystem::path& out);

// Numbers by layer instead of maps; of options what the page is, and how wide it is printed.
void save_plots(const figure::PlotSheet& plots, const figure::Provenance& facts,
                const FigureOptions& options, const std::filesystem::path& out);

}  // namespace headlight::platform

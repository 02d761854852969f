#include "export/figure_command.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "export/page.h"
#include "figure/png.h"
#include "figure/svg_render.h"
#include "files/new_file.h"
#include "platform/fonts.h"
#include "platform/gui.h"
#include "platform/no_window.h"
#include "platform/picture.h"

namespace headlight::app {
namespace {

// page: background color; 0: keeps what is there.
void describe(ui::Context& ui, const figure::MapSheet& sheet, ImVec2 size, ImU32 page) {
    ui.start_frame();
    on_page(size, [&] {
        if (page != 0) ui::Canvas(ui).fill({0, 0, size.x, size.y}, page);
        figure::draw(ui, {0, 0, size.x, size.y}, sheet);
    });
}

bool is_light(const FigureLook& figure) {
    return figure.ground == FigureGround::white || figure.theme == Theme::light;
}

const ui::Palette& palette_of(const FigureOptions& options) {
    return is_light(options.look.figure) ? ui::light_palette() : ui::dark_palette();
}

ImU32 ground_of(const FigureOptions& options) {
    switch (options.look.figure.ground) {
        case FigureGround::white:
            return IM_COL32_WHITE;
        case FigureGround::transparent:
            return 0;
        case FigureGround::theme:
            break;
    }
    return palette_of(options).background;
}

bool has_display() {
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set by us
        return value != nullptr && *value != '\0';
    };
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

// Characters that are new to the fonts appear from the second pass on.
constexpr int kMostTimes = 3;

}  // namespace

FigureRenderer::FigureRenderer() : ui_(font_paths()) {}

void FigureRenderer::begin(const FigureOptions& options, float scale) {
    if (ui_.begin(palette_of(options), scale, 1)) gui_.fonts_changed();
}

ImVec2 FigureRenderer::size_of(const FigureSheet& made, const FigureOptions& options, float scale) {
    const Gui::Turn turn(gui_);
    begin(options, scale);
    gui_.begin_frame({64, 64}, 1);
    const ImVec2 size = figure::size_of(ui_, made.sheet);
    ImGui::EndFrame();
    return size;
}

Picture FigureRenderer::print(const FigureSheet& made, const FigureOptions& options, float scale) {
    const Gui::Turn turn(gui_);
    for (int times = 0; times < kMostTimes; ++times) {
        begin(options, scale);
        const ImVec2 size = size_of(made, options, scale);
        const Extent extent{static_cast<int>(size.x), static_cast<int>(size.y)};
        gui_.begin_frame(extent, 1);
        describe(ui_, made.sheet, size, ground_of(options));
        gui_.end_frame();
        if (!ui_.frame_asked()) break;
    }
    gui_.render(ui_);
    Picture picture = gui_.read();
    ui_.end();
    return picture;
}

namespace {

struct DrawnSvg {
    std::string text;
    ImVec2 size;  // units
};

// The content of a page: maps or plots, with their provenance.
struct FigurePage {
    std::function<ImVec2(ui::Context&)> size_of;
    std::function<void(ui::Context&, const ui::Rect&)> draw;
    const figure::Provenance& facts;
};
template <class Sheet>
FigurePage page_of(const Sheet& sheet, const figure::Provenance& facts) {
    return {[&sheet](ui::Context& ui) { return figure::size_of(ui, sheet); },
            [&sheet](ui::Context& ui, const ui::Rect& rect) { figure::draw(ui, rect, sheet); },
            facts};
}

DrawnSvg draw_svg(const FigurePage& page, const FigureOptions& options) {
    const NoWindow gui;
    ui::Context ui(font_paths());
    ui::Recording recording;
    ui.record(&recording, ui::Context::Paint::no);
    ui.begin(palette_of(options), 1, 1);
    ImGui::NewFrame();
    const ImVec2 size = page.size_of(ui);
    ImGui::EndFrame();
    ImGui::GetIO().DisplaySize = size;
    ImGui::NewFrame();
    ui.start_frame();
    on_page(size, [&] { page.draw(ui, {0, 0, size.x, size.y}); });
    ImGui::Render();
    ui.end();
    return {figure::svg_of(recording, {0, 0, size.x, size.y}, ui, ground_of(options), page.facts,
                           options.look.figure.width_cm),
            size};
}

// 300 dots per inch where the width is in centimeters; otherwise as many per unit as --resolution
// says.
constexpr double kDotsPerCm = 300 / 2.54;
double dots_per_unit(const FigureOptions& options, float units) {
    const FigureLook& look = options.look.figure;
    return look.width_cm > 0 ? look.width_cm * kDotsPerCm / static_cast<double>(units)
                             : look.resolution;
}

// For opaque PNGs: OpenGL renders without alpha.
void save_rendered_png(const FigurePage& page, const FigureOptions& options,
                       const std::filesystem::path& out) {
    const auto [svg, size] = draw_svg(page, options);
    const double scale = dots_per_unit(options, size.x);
    const auto dots = [&](float units) {
        return static_cast<int>(std::lround(scale * static_cast<double>(units)));
    };
    const figure::RenderedSvg picture = figure::pixels_of_svg(svg, dots(size.x), dots(size.y));
    const auto file = figure::png_of({picture.width, picture.height, 4, picture.rgba},
                                     figure::text_of(page.facts),
                                     options.look.figure.width_cm > 0 ? kDotsPerCm : 0);
    if (!file) throw std::runtime_error(out.string() + ": the picture is too large for a PNG.");
    write_file(out.string(), *file);
}

// False: nothing was saved.
bool save_without_press(const FigurePage& page, const FigureOptions& options,
                        const std::filesystem::path& out, bool always) {
    if (out.extension() == ".svg") {
        write_file(out.string(), draw_svg(page, options).text);
        return true;
    }
    if (out.extension() == ".pdf") {
        write_file(out.string(),
                   figure::pdf_of_svg(draw_svg(page, options).text, figure::text_of(page.facts)));
        return true;
    }
    const bool has_alpha = options.look.figure.ground == FigureGround::transparent;
    if (!always && !has_alpha && options.look.figure.width_cm == 0) return false;
    save_rendered_png(page, options, out);
    return true;
}

}  // namespace

bool save_without_press(const FigureSheet& made, const FigureOptions& options,
                        const std::filesystem::path& out, bool always) {
    return save_without_press(page_of(made.sheet, made.facts), options, out, always);
}

void save_plots(const figure::PlotSheet& plots, const figure::Provenance& facts,
                const FigureOptions& options, const std::filesystem::path& out) {
    save_without_press(page_of(plots, facts), options, out, true);
}

void save_figure(MapsOfBoth maps, const FigureOptions& options, const std::filesystem::path& out) {
    const FigureSheet made = figure_sheet(std::move(maps), options);
    if (save_without_press(made, options, out, !has_display())) return;
    const Window window("Headlight", {64, 64}, Window::Show::hidden);
    FigureRenderer renderer;
    save_png(out, renderer.print(made, options, static_cast<float>(options.look.figure.resolution)),
             made.facts);
}

}  // namespace headlight::app

#include "platform/figure_command.h"

#include <utility>

#include "files/new_file.h"
#include "platform/files.h"
#include "platform/gui.h"
#include "platform/headless.h"
#include "platform/page.h"
#include "platform/picture.h"

namespace headlight::platform {
namespace {

void describe(ui::Context& ui, const figure::MapSheet& sheet, ImVec2 size) {
    ui.start_frame();
    on_page(size, [&] { figure::draw(ui, {0, 0, size.x, size.y}, sheet); });
}

const ui::Palette& palette_of(const FigureOptions& options) {
    return options.look.figure.theme == Theme::light ? ui::light_palette() : ui::dark_palette();
}

// Letters that are new to the fonts are there from the second time on.
constexpr int kMostTimes = 3;

}  // namespace

Press::Press() : ui_(font_paths()) {}

void Press::begin(const FigureOptions& options, float scale) {
    if (ui_.begin(palette_of(options), scale, 1)) gui_.fonts_changed();
}

ImVec2 Press::size_of(const FigureSheet& made, const FigureOptions& options, float scale) {
    const Gui::Turn turn(gui_);
    begin(options, scale);
    gui_.begin_frame({64, 64}, 1);
    const ImVec2 size = figure::size_of(ui_, made.sheet);
    ImGui::EndFrame();
    return size;
}

Picture Press::print(const FigureSheet& made, const FigureOptions& options, float scale) {
    const Gui::Turn turn(gui_);
    for (int times = 0; times < kMostTimes; ++times) {
        begin(options, scale);
        const ImVec2 size = size_of(made, options, scale);
        const Extent extent{static_cast<int>(size.x), static_cast<int>(size.y)};
        gui_.begin_frame(extent, 1);
        describe(ui_, made.sheet, size);
        gui_.end_frame();
        if (!ui_.frame_asked()) break;
    }
    gui_.render(ui_);
    Picture picture = gui_.read();
    ui_.end();
    return picture;
}

void save_svg(const FigureSheet& made, const FigureOptions& options,
              const std::filesystem::path& out) {
    const NoWindow gui;
    ui::Context ui(font_paths());
    ui::Recording recording;
    ui.record(&recording, ui::Context::Paint::no);
    ui.begin(palette_of(options), 1, 1);
    ImGui::NewFrame();
    const ImVec2 size = figure::size_of(ui, made.sheet);
    ImGui::EndFrame();
    ImGui::GetIO().DisplaySize = size;
    ImGui::NewFrame();
    describe(ui, made.sheet, size);
    ImGui::Render();
    ui.end();
    write_file(out.string(), figure::svg_of(recording, {0, 0, size.x, size.y}, ui,
                                            ui.colors().background, made.facts));
}

void save_figure(MapsOfBoth maps, const FigureOptions& options, const std::filesystem::path& out) {
    const FigureSheet made = figure_sheet(std::move(maps), options);
    if (out.extension() == ".svg") return save_svg(made, options, out);
    const Window window("Headlight", {64, 64}, Window::Show::hidden);
    Press press;
    save_png(out, press.print(made, options, static_cast<float>(options.look.figure.resolution)),
             made.facts);
}

}  // namespace headlight::platform

#include "platform/figure_command.h"

#include <fmt/format.h>

#include "analysis/mass.h"
#include "figure/map_sheet.h"
#include "figure/svg.h"
#include "files/new_file.h"
#include "frame/attention_scale.h"
#include "frame/photo.h"
#include "frame/picture.h"
#include "platform/files.h"
#include "platform/gui.h"
#include "platform/headless.h"
#include "platform/picture.h"
#include "ui/compat.h"

namespace headlight::platform {
namespace {

namespace fs = std::filesystem;

std::string what_is_read(const TokenMaps& maps, const FigureOptions& options) {
    const bool is_patch = maps.layout.kind_of(maps.token) == TokenKind::patch;
    const std::string token = (is_patch ? "" : "the ") + token_name(maps.layout, maps.token);
    return options.read_by ? "who reads " + token : "what " + token + " reads";
}

figure::Provenance facts_of(const TokenMaps& maps, const FigureOptions& options) {
    figure::Provenance facts{{"made by", "Headlight " HEADLIGHT_VERSION},
                             {"model", options.model},
                             {"image", options.image},
                             {"shows", "attention: " + what_is_read(maps, options)}};
    if (!options.settings.empty()) facts.push_back({"settings", options.settings});
    facts.push_back({"scale", std::string(name_of(options.look.attention_scale))});
    if (options.look.attention_cut > 0)
        facts.push_back({"cut", fmt::format("{} %", options.look.attention_cut)});
    if (options.mass)
        facts.push_back(
            {"outlined", fmt::format("the fewest patches that hold {} % of what goes to "
                                     "patches",
                                     *options.mass)});
    return facts;
}

std::string caption_of(const TokenMaps& maps, const FigureOptions& options) {
    if (options.caption) return *options.caption;
    fs::path model = fs::path(options.model);
    if (model.stem() == "model") model = model.parent_path();  // as the Hub calls all of them
    return fmt::format("{}, {}: {}", model.stem().string(),
                       fs::path(options.image).filename().string(), what_is_read(maps, options));
}

ui::Rect rect_of(const PixelRect& r) {
    return {static_cast<float>(r.col), static_cast<float>(r.row), static_cast<float>(r.width),
            static_cast<float>(r.height)};
}

figure::MapSheet sheet_of(const TokenMaps& maps, const FigureOptions& options) {
    figure::MapSheet sheet;
    sheet.caption = caption_of(maps, options);
    sheet.picture = screens::photo(maps.image, true);
    const auto [covered, cells] = screens::map_place(maps.grid);
    sheet.covered = covered;
    sheet.window = cells;
    sheet.tile = static_cast<float>(options.tile);
    if (const Index patch = maps.token - maps.layout.prefix(); patch >= 0)
        sheet.query = rect_of(maps.grid.rect(static_cast<int>(patch)));
    for (const int head : options.heads)
        sheet.columns.push_back(maps.names[static_cast<std::size_t>(head)]);
    Magnitudes sizes;
    std::uint64_t version = 0;
    for (const int layer : options.layers) {
        sheet.rows.push_back(maps.layers[static_cast<std::size_t>(layer)]);
        for (const int head : options.heads) {
            const MatrixView map = maps.map(static_cast<std::size_t>(layer), head);
            sizes.add(map);
            if (options.mass) sheet.chosen.push_back(smallest_set(map, *options.mass / 100));
            sheet.maps.push_back({map.data, static_cast<int>(map.rows), static_cast<int>(map.cols),
                                  static_cast<int>(map.stride), ++version});
        }
    }
    sheet.scale = screens::attention_scale(options.look, sizes, maps.layout.count());
    return sheet;
}

// One frame of Dear ImGui that holds the sheet and nothing else. What is around it belongs to the
// caller: its context, its display's size.
void describe(ui::Context& ui, const figure::MapSheet& sheet, ImVec2 size) {
    ui.start_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("figure", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoInputs);
    figure::draw(ui, {0, 0, size.x, size.y}, sheet);
    ImGui::End();
    ImGui::PopStyleVar();
}

const ui::Palette& palette_of(const FigureOptions& options) {
    return options.look.theme == Theme::light ? ui::light_palette() : ui::dark_palette();
}

std::string svg_of(const figure::MapSheet& sheet, const FigureOptions& options,
                   const figure::Provenance& facts) {
    const NoWindow gui;
    ui::Context ui(font_paths());
    ui::Recording recording;
    ui.record(&recording, ui::Context::Paint::no);
    ui.begin(palette_of(options), 1, 1);
    ImGui::NewFrame();
    const ImVec2 size = figure::size_of(ui, sheet);
    ImGui::EndFrame();
    ImGui::GetIO().DisplaySize = size;
    ImGui::NewFrame();
    describe(ui, sheet, size);
    ImGui::Render();
    ui.end();
    return figure::svg_of(recording, {0, 0, size.x, size.y}, ui, ui.colors().background, facts);
}

Picture picture_of(const figure::MapSheet& sheet, const FigureOptions& options) {
    const Window window("Headlight", {64, 64}, Window::Show::hidden);
    Gui gui;
    ui::Context ui(font_paths());
    const auto scale = static_cast<float>(options.resolution);
    ui.begin(palette_of(options), scale, 1);
    gui.begin_frame({64, 64}, 1);
    const ImVec2 size = figure::size_of(ui, sheet);
    ImGui::EndFrame();
    const Extent extent{static_cast<int>(size.x), static_cast<int>(size.y)};
    gui.begin_frame(extent, 1);
    describe(ui, sheet, size);
    gui.end_frame();
    gui.render(ui);
    Picture picture = gui.read();
    ui.end();
    ui.heatmaps().clear();
    return picture;
}

}  // namespace

void save_figure(const TokenMaps& maps, const FigureOptions& options) {
    const figure::MapSheet sheet = sheet_of(maps, options);
    const figure::Provenance facts = facts_of(maps, options);
    if (options.out.extension() == ".svg")
        return write_file(options.out.string(), svg_of(sheet, options, facts));
    save_png(options.out, picture_of(sheet, options), facts);
}

}  // namespace headlight::platform

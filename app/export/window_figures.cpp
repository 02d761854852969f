#include "export/window_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "export/export.h"
#include "state/fields.h"

namespace headlight::app {
namespace {

constexpr double kMostPreviewed = 4e6;  // pixels; larger figures are previewed smaller

FigureSource source_of(const Recipe& recipe, const Trace& trace) {
    FigureSource source;
    source.model = recipe.weights.empty() ? "a random layer" : recipe.weights;
    source.image = recipe.scene ? "a scene of shapes" : recipe.image;
    if (recipe.scene) source.scene = line_of(*recipe.scene);
    const FigureSettings settings = figure_settings(recipe, trace);
    source.settings = settings.json;
    if (!settings.unsayable.empty())
        source.settings += (settings.json.empty() ? "" : " and ") + settings.unsayable;
    if (recipe.model.part)
        source.settings += (source.settings.empty() ? "part " : " and part ") + *recipe.model.part;
    return source;
}

FigureOptions options_for(const Workspace& work, const FigureQuestion& question,
                          const FigureMaps& maps) {
    const auto& [of, before, class_maps] = question;
    FigureOptions options;
    options.now = source_of(
        of.trace == work.pinned_trace() ? *work.state().pinned : work.trace_recipe(), *of.trace);
    if (before) options.before = source_of(*work.state().pinned, *before->trace);
    options.read_by = of.reading == Reading::by;
    options.layers_word = find_field("figure_layers")->label;
    options.heads_word = find_field("figure_heads")->label;
    options.look = work.state().look;
    if (class_maps) {
        options.look = look_of_class_maps(std::move(options.look));
        options.look.figure.layers = options.look.figure.heads =
            "all";  // of the maps that are drawn
        options.class_maps = {class_maps->methods, maps.of_class};
    }
    return options;
}

ui::PhotoPicture as_photo(const Picture& picture) {
    const auto pixels = std::make_shared<std::vector<float>>();
    pixels->reserve(picture.rgb.size());
    for (const std::uint8_t byte : picture.rgb) pixels->push_back(static_cast<float>(byte) / 255);
    return {{pixels, pixels->data()}, picture.size.height, picture.size.width, 3, true};
}

}  // namespace

WindowFigures::WindowFigures(std::function<void()> wake) : wake_(std::move(wake)) {}

void WindowFigures::follow(const Workspace& work, screens::FigurePreview& preview) {
    const auto fail = [&](const std::exception& error) {
        preview.picture = {};
        preview.size.clear();
        preview.error = error.what();
    };
    try {
        preview.busy = false;
        const FigureQuestion question = figure_question(work);
        const FigureLine line = figure_line(work, question);
        preview.command = line.text;
        preview.why_no_command = line.why_not;
        ask(question);
        const auto maps = reader_->last();
        preview.busy = !maps || !(maps->question == question);
        if (preview.busy) return;
        if (!maps->error.empty()) throw CommandError(maps->error);
        Drawn next{maps, options_for(work, question, maps->answer)};
        if (drawn_ == next) return;
        drawn_ = std::move(next);
    } catch (const std::exception& error) {
        drawn_ = {};
        return fail(error);
    }
    try {
        preview.error.clear();
        draw(preview);
    } catch (const std::exception& error) {
        fail(error);  // and is retried only after a change
    }
}

void WindowFigures::ask(const FigureQuestion& question) {
    if (!reader_)
        reader_ = std::make_unique<FigureReader>(
            [](const FigureQuestion& q, std::atomic<float>&, const StopFlag& stop) {
                return figure_maps(q, stop);
            },
            std::chrono::milliseconds(100), wake_);
    reader_->ask(question);
}

// Draws at full size or, if that exceeds the limit, with fewer pixels.
void WindowFigures::draw(screens::FigurePreview& preview) {
    if (!renderer_) renderer_ = std::make_unique<FigureRenderer>();
    const FigureSheet made = figure_sheet(drawn_.maps->answer, drawn_.options);
    const auto scale = static_cast<float>(drawn_.options.look.figure.resolution);
    const ImVec2 size = renderer_->size_of(made, drawn_.options, scale);
    const float width = drawn_.options.look.figure.width_cm;
    preview.size =
        width > 0 ? fmt::format("{:.4g} × {:.4g} cm", width, width * size.y / size.x)
                  : fmt::format("{:.0f} × {:.0f} pixels", std::floor(size.x), std::floor(size.y));
    const double pixels = static_cast<double>(size.x) * size.y;
    const auto fewer = static_cast<float>(std::sqrt(std::min(1.0, kMostPreviewed / pixels)));
    preview.picture = as_photo(renderer_->print(made, drawn_.options, scale * fewer));
}

void WindowFigures::save(const Workspace& work, const std::filesystem::path& out) {
    const FigureQuestion question = figure_question(work);
    FigureMaps maps = figure_maps(question);
    const FigureOptions options = options_for(work, question, maps);
    const FigureSheet made = figure_sheet(std::move(maps), options);
    if (save_without_press(made, options, out)) return;
    if (!renderer_) renderer_ = std::make_unique<FigureRenderer>();
    save_png(out,
             renderer_->print(made, options, static_cast<float>(options.look.figure.resolution)),
             made.facts);
}

}  // namespace headlight::app

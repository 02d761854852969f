#include "platform/export.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figure/matrix_file.h"
#include "files/new_file.h"
#include "state/changes.h"
#include "state/command.h"
#include "trace/steps.h"
#include "trace/token_rows.h"

namespace headlight::platform {

figure::Provenance facts_of(const Workspace& work) {
    const Recipe& recipe = work.state().recipe;
    const Selection& selection = work.state().selection;
    figure::Provenance facts{{"made by", "Headlight " HEADLIGHT_VERSION}};
    if (!recipe.weights.empty()) facts.push_back({"model", recipe.weights});
    if (gives_tokens(recipe.tokens))
        facts.push_back({"tokens", to_json(recipe.tokens)});
    else if (recipe.scene)
        facts.push_back({"image", "a scene of shapes"});
    else if (!recipe.image.empty())
        facts.push_back({"image", recipe.image});
    facts.push_back({"layer", std::to_string(recipe.layer + 1)});
    facts.push_back({"head", std::to_string(selection.head + 1)});
    facts.push_back({"step", std::string(info(selection.step).name)});
    const auto trace = work.trace();
    if (trace && selection.token)
        facts.push_back({"token", name_of_token(*trace, Side::query, *selection.token)});
    if (trace && is_cross(*trace) && selection.key)
        facts.push_back({"key", name_of_token(*trace, Side::key, *selection.key)});
    if (trace)
        for (const RecipeField* field : changed_fields(recipe, *trace))
            facts.push_back({std::string(field->name), field->get(recipe)});
    return facts;
}

ui::Rect area_of(const ui::Context& ui, const std::string& widget) {
    if (widget.empty()) {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        return {0, 0, size.x, size.y};
    }
    const auto found = ui.names().find(widget);
    if (found == ui.names().end())
        throw CommandError("export: nothing on the screen is called \"" + widget + "\".");
    return found->second.rect;
}

Picture part_of(const Picture& picture, const ui::Rect& area) {
    const auto within = [](float at, int most) {
        return std::clamp(static_cast<int>(std::round(at)), 0, most);
    };
    const int left = within(area.x, picture.size.width),
              right = within(area.x + area.w, picture.size.width),
              top = within(area.y, picture.size.height),
              bottom = within(area.y + area.h, picture.size.height);
    Picture part{{right - left, bottom - top}, {}};
    for (int row = top; row < bottom; ++row) {
        const auto at = [&](int col) {
            return picture.rgb.begin() +
                   (static_cast<std::ptrdiff_t>(row) * picture.size.width + col) * 3;
        };
        part.rgb.insert(part.rgb.end(), at(left), at(right));
    }
    return part;
}

void FrameExport::begin(ui::Context& ui) {
    others_ = ui.wanted_recording();
    ui.record(&own_);
}

std::string FrameExport::finish(ui::Context& ui, const figure::Provenance& facts) {
    ui.record(others_);
    const Request request = *std::exchange(asked_, std::nullopt);
    if (request.to == To::svg) {
        write_file(request.path.string(), figure::svg_of(own_, area_of(ui, request.widget), ui,
                                                         ui.colors().background, facts));
        return "Saved as " + request.path.string() + ".";
    }
    const ImVec2 pointer = ImGui::GetIO().MousePos;
    const ui::DrawnMatrix* matrix = request.widget.empty()
                                        ? figure::matrix_at(own_, pointer)
                                        : figure::matrix_named(own_, request.widget);
    if (matrix == nullptr)
        throw CommandError(request.widget.empty()
                               ? "copy: point at a matrix."
                               : "export: \"" + request.widget + "\" is no matrix on the screen.");
    const ui::Cells& cells = matrix->picture.cells;
    switch (request.to) {
        case To::csv:
            write_file(request.path.string(), figure::text_of(cells, ','));
            break;
        case To::npy:
            write_file(request.path.string(), figure::npy_of(cells));
            break;
        case To::safetensors:
            figure::write_safetensors(request.path.string(), request.widget, cells, facts);
            break;
        default: {
            const bool one = request.to == To::row;
            ImGui::SetClipboardText(
                figure::text_of(one ? figure::row_at(*matrix, pointer) : cells, '\t').c_str());
            return one ? "Copied a row of " + std::to_string(cells.cols) + " numbers."
                       : "Copied " + std::to_string(cells.rows) + " rows of " +
                             std::to_string(cells.cols) + " numbers.";
        }
    }
    return "Saved as " + request.path.string() + ".";
}

}  // namespace headlight::platform

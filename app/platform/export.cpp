#include "platform/export.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/number_table.h"
#include "figure/matrix_file.h"
#include "files/new_file.h"
#include "scene/scene_file.h"
#include "state/changes.h"
#include "state/command.h"
#include "trace/steps.h"
#include "trace/token_rows.h"

namespace headlight::platform {

namespace {

// The place in the walk, where that is what one sees.
void add_place(figure::Provenance& facts, const Workspace& work) {
    const Selection& selection = work.state().selection;
    facts.push_back({"layer", std::to_string(work.state().recipe.layer + 1)});
    facts.push_back({"head", std::to_string(selection.head + 1)});
    if (work.state().look.screen == ScreenId::walk)
        facts.push_back({"step", std::string(info(selection.step).name)});
    const auto trace = work.trace();
    if (trace && selection.token)
        facts.push_back({"token", name_of_token(*trace, Side::query, *selection.token)});
    if (trace && is_cross(*trace) && selection.key)
        facts.push_back({"key", name_of_token(*trace, Side::key, *selection.key)});
}

}  // namespace

figure::Provenance facts_of(const Workspace& work, const screens::Facts& shown) {
    const Recipe& recipe = work.state().recipe;
    figure::Provenance facts{{"made by", "Headlight " HEADLIGHT_VERSION}};
    if (!recipe.weights.empty()) facts.push_back({"model", recipe.weights});
    if (gives_tokens(recipe.tokens)) {
        facts.push_back({"tokens", to_json(recipe.tokens)});
    } else if (recipe.scene) {
        facts.push_back({"image", "a scene of shapes"});
        facts.push_back({"scene", line_of(*recipe.scene)});
    } else if (!recipe.image.empty()) {
        facts.push_back({"image", recipe.image});
    }
    if (shown.empty()) add_place(facts, work);
    for (const auto& [name, value] : shown) facts.push_back({name, value});
    if (const auto trace = work.trace())
        for (const RecipeField* field : changed_fields(recipe, *trace))
            facts.push_back({std::string(field->name), field->get(recipe)});
    return facts;
}

std::string line_of(const ShapeScene& scene) {
    std::string line;
    bool begins = true;  // what stands before the first sign of a line is its indent
    for (const char c : to_json(scene)) {
        begins = begins ? c == ' ' || c == '\n' : c == '\n';
        if (!begins) line += c;
    }
    return line;
}

ui::Rect area_of(const ui::Context& ui, const std::string& widget) {
    if (widget.empty()) {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        return {0, 0, size.x, size.y};
    }
    const auto& names = ui.names();
    if (const auto whole = names.find(widget + ".whole"); whole != names.end())
        return whole->second.rect;
    const auto found = names.find(widget);
    if (found == names.end())
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

void FrameExport::begin(ui::Context& ui, screens::Leaving& leaving) {
    others_ = ui.wanted_recording();
    ui.record(&own_);
    leaving.ask(asked_->widget);
}

namespace {

using To = FrameExport::To;

// Text and binary forms of the same numbers.
struct Numbers {
    const NumberTable* table = nullptr;  // null: a matrix alone
    ui::Cells cells;

    [[nodiscard]] std::string text(char between) const {
        return table != nullptr ? text_of(*table, between) : figure::text_of(cells, between);
    }
};

ui::Cells cells_of(const Matrix& matrix) {
    return {matrix.data(), static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()),
            static_cast<int>(matrix.cols())};
}

std::string names_in_a_line(const std::vector<std::string>& names) {
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "" : "; ") + name;
    return line;
}

// A tensor says nothing of its rows and columns.
figure::Provenance with_names(figure::Provenance facts, const NumberTable* table) {
    if (table == nullptr) return facts;
    facts.push_back({"columns of the table", names_in_a_line(table->columns)});
    std::vector<std::string> rows;
    for (const auto& names : table->rows) {
        rows.emplace_back();
        for (const std::string& name : names)
            rows.back() += (rows.back().empty() ? "" : ", ") + name;
    }
    facts.push_back({"rows of the table", names_in_a_line(rows)});
    return facts;
}

std::string copied(const Numbers& numbers, const std::string& widget) {
    ImGui::SetClipboardText(numbers.text('\t').c_str());
    if (widget == kHeadNumbers) return "Copied the numbers of all heads, a line each.";
    return "Copied " + std::to_string(numbers.cells.rows) + " rows of " +
           std::to_string(numbers.cells.cols) + " numbers.";
}

std::string copied_row(const ui::Cells& row) {
    ImGui::SetClipboardText(figure::text_of(row, '\t').c_str());
    return "Copied a row of " + std::to_string(row.cols) + " numbers.";
}

void write_numbers(const FrameExport::Request& request, const Numbers& numbers,
                   const figure::Provenance& facts) {
    const std::string path = request.path.string();
    if (request.to == To::csv) return write_file(path, numbers.text(','));
    if (request.to == To::npy) return write_file(path, figure::npy_of(numbers.cells));
    figure::write_safetensors(path, request.widget, numbers.cells,
                              with_names(facts, numbers.table));
}

// What is drawn, and all of it where a part alone is shown.
const ui::DrawnMatrix* drawn_matrix(const ui::Recording& recording, const std::string& widget) {
    return widget.empty() ? figure::matrix_at(recording, ImGui::GetIO().MousePos)
                          : figure::matrix_named(recording, widget);
}

ui::DrawnMatrix whole_of(const ui::DrawnMatrix& drawn, const screens::Leaving& leaving) {
    ui::DrawnMatrix matrix = drawn;
    if (const auto whole = leaving.whole.find(drawn.picture.cells.data);
        whole != leaving.whole.end())
        matrix.picture.cells = whole->second;
    return matrix;
}

}  // namespace

std::string FrameExport::finish(ui::Context& ui, const figure::Provenance& facts,
                                screens::Leaving& leaving) {
    ui.record(others_);
    leaving.wanted.reset();
    if (leaving.undrawn || (leaving.computing && asked_->to != To::svg))
        return "Computing the numbers…";
    const Request request = *std::exchange(asked_, std::nullopt);
    const std::string saved = "Saved as " + request.path.string() + ".";
    if (request.to == To::svg) {
        write_file(request.path.string(), figure::svg_of(own_, area_of(ui, request.widget), ui,
                                                         ui.colors().background, facts));
        return saved;
    }
    if (!leaving.refusal.empty()) throw CommandError(leaving.refusal);
    const bool to_clipboard = request.to == To::row || request.to == To::matrix;
    Numbers numbers;
    Matrix matrix;
    if (leaving.table || leaving.matrix) {
        if (leaving.table) numbers.table = &*leaving.table;
        matrix = leaving.table ? matrix_of(*leaving.table) : *leaving.matrix;
        numbers.cells = cells_of(matrix);
    } else if (const auto* drawn = drawn_matrix(own_, request.widget)) {
        const ui::DrawnMatrix whole = whole_of(*drawn, leaving);
        if (request.to == To::row)
            return copied_row(figure::row_at(whole, ImGui::GetIO().MousePos));
        numbers.cells = whole.picture.cells;
    } else {
        throw CommandError(request.widget.empty()
                               ? "copy: point at a matrix."
                               : "export: \"" + request.widget + "\" is no matrix on the screen.");
    }
    if (to_clipboard) return copied(numbers, request.widget);
    write_numbers(request, numbers, facts);
    return saved;
}

}  // namespace headlight::platform

#include "export/export.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/number_table.h"
#include "export/redraw.h"
#include "figure/matrix_file.h"
#include "files/new_file.h"
#include "kernels/counted.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "scene/scene_file.h"
#include "state/changes.h"
#include "state/command.h"
#include "trace/steps.h"
#include "trace/token_rows.h"

namespace headlight::app {

namespace {

// Adds the place in the walk, if that is visible.
void add_place(figure::Provenance& facts, const Workspace& work) {
    const Selection& selection = work.state().selection;
    const auto trace = work.trace();
    const int layer = work.state().recipe.layer;
    facts.push_back(
        {"layer", trace ? layer_number(*trace->model, layer) : std::to_string(layer + 1)});
    facts.push_back({"head", std::to_string(selection.head + 1)});
    if (work.state().look.screen == ScreenId::walk)
        facts.push_back({"step", std::string(info(selection.step).name)});
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
            facts.push_back(
                {std::string(field->name), field->name == "switched_off"
                                               ? heads_text(recipe.switched_off, trace->model.get())
                                               : field->get(recipe)});
    return facts;
}

std::string line_of(const ShapeScene& scene) {
    std::string line;
    bool begins = true;  // leading spaces of a line are its indentation
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
    const auto found = ui.area(widget);
    if (!found) throw CommandError("export: nothing on the screen is called \"" + widget + "\".");
    return *found;
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

std::string FrameExport::widget() const {
    const auto part = ui::address_of(asked_->widget);
    return part ? std::string(part->name) : asked_->widget;
}

void FrameExport::begin(ui::Context& ui, screens::Export& exported) {
    others_ = ui.wanted_recording();
    ui.record(&own_);
    exported.ask(widget());
}

namespace {

using To = FrameExport::To;

// The same numbers in text and binary formats.
struct Numbers {
    const NumberTable* table = nullptr;  // null: only a matrix
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

// A tensor has no row and column names, so they go to the metadata.
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
    if (widget == kHeadNumbers) return "Copied the numbers of all heads, one line each.";
    return "Copied " + counted(numbers.cells.rows, "row") + " of " +
           counted(numbers.cells.cols, "number") + ".";
}

ui::DrawnMatrix whole_of(const ui::DrawnMatrix& drawn, const screens::Export& exported) {
    ui::DrawnMatrix matrix = drawn;
    if (const auto whole = exported.whole.find(drawn.picture.cells.data);
        whole != exported.whole.end())
        matrix.picture.cells = whole->second;
    if (const auto window = exported.windows.find(drawn.picture.cells.data);
        window != exported.windows.end())
        matrix.picture.window = window->second;
    return matrix;
}

// "the row of token 50", or "row 3".
std::string name_of_row(const screens::Export& exported, const std::string& widget, int row) {
    const auto known = exported.rows.find(widget);
    const std::string of = known != exported.rows.end() ? known->second(row) : "";
    return of.empty() ? "row " + std::to_string(row) : "the row of " + of;
}

std::string copied_row(const ui::DrawnMatrix& matrix, int row, const screens::Export& exported) {
    const ui::Cells cells = figure::part_of(matrix.picture.cells, row, ui::Address::kAll);
    ImGui::SetClipboardText(figure::text_of(cells, '\t').c_str());
    return "Copied " + name_of_row(exported, matrix.picture.name, row) + ": " +
           counted(cells.cols, "number") + ".";
}

std::string copied_cell(const ui::DrawnMatrix& matrix, const figure::CellPlace& at,
                        const screens::Export& exported) {
    const std::string number = number_text(matrix.picture.cells.at(at.row, at.col));
    ImGui::SetClipboardText(number.c_str());
    return "Copied " + number + ": " + name_of_row(exported, matrix.picture.name, at.row) +
           ", column " + std::to_string(at.col) + ".";
}

// The cell under the pointer, or else the focused one.
std::string copied_cell(const ui::Recording& recording, const screens::Export& exported) {
    const ImVec2 pointer = ImGui::GetIO().MousePos;
    if (const auto* under = figure::matrix_at(recording, pointer)) {
        const ui::DrawnMatrix whole = whole_of(*under, exported);
        return copied_cell(whole, figure::cell_at(whole, pointer), exported);
    }
    const auto* matrix =
        exported.cell ? figure::matrix_named(recording, exported.cell->widget) : nullptr;
    if (matrix == nullptr)
        throw CommandError("copy: point at a cell of a matrix, or pin one, first.");
    return copied_cell(*matrix, {exported.cell->row, exported.cell->col}, exported);
}

// Throws CommandError if there is no such row or column.
ui::Cells named_part(const ui::Cells& cells, const ui::Address& part) {
    const auto expect_within = [&](const char* what, int place, int count) {
        if (place < count) return;
        throw CommandError(std::string("export: expected a ") + what + " of " +
                           std::string(part.name) + " from 0 to " + std::to_string(count - 1) +
                           ", found " + std::to_string(place) + ".");
    };
    expect_within("row", part.row, cells.rows);
    expect_within("column", part.col, cells.cols);
    return figure::part_of(cells, part.row, part.col);
}

figure::Provenance with_part(figure::Provenance facts, const ui::Address& part) {
    if (part.row != ui::Address::kAll) facts.push_back({"row", std::to_string(part.row)});
    if (part.col != ui::Address::kAll) facts.push_back({"column", std::to_string(part.col)});
    return facts;
}

void write_numbers(const FrameExport::Request& request, const Numbers& numbers,
                   const figure::Provenance& facts) {
    const std::string path = request.path.string();
    if (request.to == To::csv) return write_file(path, numbers.text(','));
    if (request.to == To::npy) return write_file(path, figure::npy_of(numbers.cells));
    figure::write_safetensors(path, request.widget, numbers.cells,
                              with_names(facts, numbers.table));
}

// A drawn matrix; the whole of it, even if only a part is drawn.
const ui::DrawnMatrix* drawn_matrix(const ui::Recording& recording, const std::string& widget) {
    return widget.empty() ? figure::matrix_at(recording, ImGui::GetIO().MousePos)
                          : figure::matrix_named(recording, widget);
}

}  // namespace

std::string FrameExport::finish(ui::Context& ui, const figure::Provenance& facts,
                                screens::Export& exported) {
    ui.record(others_);
    exported.wanted.reset();
    const bool is_picture = asked_->to == To::svg || asked_->to == To::png;
    if (exported.undrawn || (exported.computing && !is_picture)) return "Computing the numbers…";
    const std::string widget = this->widget();
    const Request request = *std::exchange(asked_, std::nullopt);
    const std::string saved = "Saved as " + request.path.string() + ".";
    if (request.to == To::png) {
        const auto scale = static_cast<float>(request.scale);
        save_png(request.path, redrawn(own_, area_of(ui, request.widget), ui, scale), facts);
        return saved;
    }
    if (request.to == To::svg) {
        write_file(request.path.string(), figure::svg_of(own_, area_of(ui, request.widget), ui,
                                                         ui.colors().background, facts));
        return saved;
    }
    if (!exported.refusal.empty()) throw CommandError(exported.refusal);
    if (request.to == To::cell) return copied_cell(own_, exported);
    const auto part = ui::address_of(request.widget);
    Numbers numbers;
    Matrix matrix;
    if (exported.table || exported.matrix) {
        if (exported.table) numbers.table = &*exported.table;
        matrix = exported.table ? matrix_of(*exported.table) : *exported.matrix;
        numbers.cells = cells_of(matrix);
    } else if (const auto* drawn = drawn_matrix(own_, widget)) {
        const ui::DrawnMatrix whole = whole_of(*drawn, exported);
        if (request.to == To::row)
            return copied_row(whole, figure::cell_at(whole, ImGui::GetIO().MousePos).row, exported);
        numbers.cells = whole.picture.cells;
    } else {
        throw CommandError(request.widget.empty()
                               ? "copy: point at a matrix first."
                               : "export: \"" + widget + "\" is not a matrix on the screen.");
    }
    if (request.to == To::row || request.to == To::matrix) return copied(numbers, widget);
    if (!part) {
        write_numbers(request, numbers, facts);
        return saved;
    }
    if (numbers.table != nullptr)
        throw CommandError("export: expected a matrix before [, found " + widget +
                           ", a table whose rows and columns have names.");
    numbers.cells = named_part(numbers.cells, *part);
    write_numbers(request, numbers, with_part(facts, *part));
    return saved;
}

}  // namespace headlight::app

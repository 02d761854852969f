#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/prediction.h"
#include "frame/capitals.h"
#include "frame/classes.h"
#include "heads/class_hues.h"
#include "heads/memory.h"
#include "heads/order.h"
#include "heads/plot.h"
#include "heads/side_card.h"
#include "heads/view.h"
#include "ui/color_bar.h"

// The focused token from layer to layer: its predicted class (logit lens) or most similar tokens,
// and the attention distance of each layer's heads.
namespace headlight::screens {

namespace {

constexpr int kLines = 4;

// The most probable classes of the token after the last layer. The last of them is replaced by the
// chosen class, or by a note that there is no such class.
std::vector<Index> shown_classes(const Frame& frame, const Matrix& lens) {
    const Matrix last = lens.bottomRows(1);
    std::vector<Index> classes;
    for (const Prediction& p : top_predictions(last, kLines)) classes.push_back(p.index);
    const std::optional<int> chosen = frame.state.look.heads_class;
    if (!chosen || std::ranges::find(classes, *chosen) != classes.end()) return classes;
    if (classes.size() == kLines) classes.pop_back();
    if (is_class_chosen(frame)) classes.push_back(*chosen);
    return classes;
}

// "layer 1" below the first dots, and the last layer's number below the last.
void layer_axis(Frame& frame, const ui::Plot& plot, const ui::Rect& row, int first) {
    const auto number = [&](int step) {
        const std::string& name = layer_name(frame, first + step);
        return name.substr(name.find_last_of(' ') + 1);
    };
    const ui::TextStyle style = frame.mono_dim();
    ui::Canvas canvas(frame.ui);
    const std::string begin = "layer " + number(0), end = number(plot.last);
    const float left = plot.at(0, 0).x - frame.px(4), right = plot.at(plot.last, 0).x;
    canvas.text({left, row.y}, begin, style);
    if (plot.last > 0 && left + canvas.measure(begin + "  " + end, style) < right)
        canvas.text({right - canvas.measure(end, style) / 2, row.y}, end, style);
}

// ---- logit lens

double part_of(const TokenInStream& found, int step, Index of_class) {
    return found.answers[static_cast<std::size_t>(step)][static_cast<std::size_t>(of_class)];
}

bool is_answered(const TokenInStream& found, const std::vector<Index>& classes) {
    const int last = static_cast<int>(found.answers.size()) - 1;
    return std::ranges::all_of(classes,
                               [&](Index c) { return std::isfinite(part_of(found, last, c)); });
}

// The whole row: a click chooses the class; a click on the chosen class deselects it.
void choose_class(Frame& frame, const ui::Rect& row, Index of_class) {
    const bool chosen = is_class_chosen(frame) && class_asked(frame) == of_class;
    const auto mouse = ui::interact(frame.ui, fmt::format("heads.lens.class.{}", of_class), row);
    if (chosen || mouse.hovered)
        ui::Canvas(frame.ui).outline(row.inset(-frame.px(3), 0),
                                     chosen ? frame.colors().accent : frame.colors().border,
                                     frame.px(1), frame.px(3));
    if (mouse.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        frame.ui.tooltip(class_name(*frame.trace.model, of_class) +
                         (chosen
                              ? "\nImportance, contributions and patching use this class. "
                                "Click to use the predicted class again"
                              : "\nClick to use this class for importance, contributions and "
                                "patching. For another class, use the command heads-class NAME"));
    }
    if (!mouse.clicked) return;
    frame.set("heads_class", chosen ? "answer" : std::to_string(of_class));
    frame.memory.gesture_ended = true;  // each is a separate undo step
}

// Label of the k-th curve, with its value after the last layer.
void name_answer(Frame& frame, ui::Layout row, std::size_t k, ImU32 hue, Index of_class,
                 double part) {
    if (row.h < frame.line()) return;
    choose_class(frame, row, of_class);
    ui::Canvas canvas(frame.ui);
    const std::string percent = percent_text(part);
    const std::string name = class_name(*frame.trace.model, of_class);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    // In a narrow card, as beside a lecture's text, a color without its name would tell nothing.
    const float number = canvas.measure(percent, mono) + 1,
                words = canvas.measure(name, {.size = ui::Size::small}) + frame.px(14);
    if (row.w - number >= std::min(words, 4 * frame.line()))
        canvas.label(row.right(number), percent, mono);
    legend_name(frame, row, name, hue);
    frame.ui.report(fmt::format("heads.lens.{}", k + 1), fmt::format("{} {:.6f}", name, part));
}

void lens_tip(Frame& frame, const TokenInStream& found, const std::vector<Index>& classes,
              int step) {
    std::string words = "The final norm and classifier, applied " + after(frame, step) + ", give:";
    for (const Index c : classes)
        words += fmt::format("\n{:.2f} %  {}", part_of(found, step, c) * 100,
                             class_name(*frame.trace.model, c));
    frame.ui.tooltip(words + "\nThe model was not trained to give answers after early layers.");
}

// So that the longest name fits beside its percentage.
float legend_width(Frame& frame, const TokenInStream& found, const std::vector<Index>& classes) {
    const ui::Canvas canvas(frame.ui);
    const int last = static_cast<int>(found.answers.size()) - 1;
    float names = 0, numbers = 0;
    for (const Index c : classes) {
        names = std::max(
            names, canvas.measure(class_name(*frame.trace.model, c), {.size = ui::Size::small}));
        numbers =
            std::max(numbers, canvas.measure(percent_text(part_of(found, last, c)),
                                             {.face = ui::Face::mono, .size = ui::Size::small}));
    }
    return frame.px(14 + 10) + names + numbers;
}

// Beside the plot; below it where the card is narrow and tall, as beside a lecture's text.
ui::Layout cut_legend(const Frame& frame, ui::Layout& inside, float width, std::size_t classes) {
    const float rows = static_cast<float>(classes + 1) * frame.line();
    const bool below = width > inside.w * 0.35F && rows < inside.h * 0.5F;
    const ui::Layout legend =
        below ? inside.bottom(rows) : inside.right(std::min(inside.w * 0.5F, width));
    if (below)
        inside.skip_bottom(8);
    else
        inside.skip_right(14);
    return legend;
}

}  // namespace

void lens_card(Frame& frame, ui::Layout rect, const HeadsView& view) {
    const TokenInStream& found = view.stream();
    const std::string from =
        "ANSWER FROM " + capitals(with_article(token_name(frame.trace.layout, view.token)));
    frame.ui.name("heads.lens", {rect, {}});
    ui::Layout inside =
        card(frame, rect,
             {from + ", LAYER BY LAYER", from + ", BY LAYER", from, "ANSWER BY LAYER", "ANSWER"});
    const std::vector<Index> classes = shown_classes(frame, found.lens);
    if (!is_answered(found, classes)) {
        const std::string words = "The answer after the last layer is not a number (NaN).";
        frame.ui.report("heads.lens.error", words);
        return ui::Canvas(frame.ui).label(inside.row(), words, frame.small_dim());
    }
    double most = 0;
    for (const auto& row : found.answers)
        for (const Index c : classes) most = std::max(most, row[static_cast<std::size_t>(c)]);
    ui::Layout legend =
        cut_legend(frame, inside, legend_width(frame, found, classes), classes.size());
    const std::string top = fmt::format("{:.{}f} %", most * 100, most < 0.1 ? 1 : 0);
    const ui::Rect steps = inside.last_row();
    const ui::Plot plot{with_ends(frame, inside, top), static_cast<int>(found.lens.rows()) - 1, 0,
                        most};
    ui::grid(frame.ui, plot);
    steps_line(frame, plot, steps);
    const std::vector<int> hues = class_hues(classes);
    for (std::size_t k = 0; k < classes.size(); ++k) {
        const ImU32 hue = frame.colors().head(hues[k]);
        ui::lines(
            frame.ui, plot, [&](int layer) { return part_of(found, layer, classes[k]); }, hue);
        name_answer(frame, legend.row(), k, hue, classes[k], part_of(found, plot.last, classes[k]));
    }
    if (frame.state.look.heads_class && !is_class_chosen(frame)) {
        const std::string none = fmt::format("no class {} here", *frame.state.look.heads_class);
        ui::Canvas(frame.ui).label(legend.row(), none,
                                   {.size = ui::Size::small, .color = frame.colors().error});
        frame.ui.report("heads.lens.no_class", none);
    }
    if (const int step = plot.step_under(ImGui::GetIO().MousePos, kBesidePlot); step >= 0)
        lens_tip(frame, found, classes, step);
}

namespace {

// "after layer 3", or "3" if space is short: the layer after which tokens are compared.
void name_map(Frame& frame, const ui::Rect& rect, int step) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = frame.small_dim(ui::Align::center);
    const std::string brief = name_of_step(frame, step),
                      whole = step == 0 ? brief : "layer " + brief;
    const std::string words = first_that_fits(canvas, {whole, brief}, style, rect.w);
    canvas.label(rect, words, style);
    frame.ui.report(fmt::format("heads.likeness.{}", step), words);
}

}  // namespace

void likeness_card(Frame& frame, ui::Layout rect, const HeadsView& view) {
    const SharedResult& likeness = view.stream().likeness;
    const std::string token = with_article(token_name(frame.trace.layout, view.token));
    const std::string to = "SIMILARITY TO " + capitals(token);
    ui::Layout inside =
        card(frame, rect, {to + ", LAYER BY LAYER (COSINE)", to + ", BY LAYER", to, "SIMILARITY"});
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix(), steps = likeness->view().rows;
    if (likeness->view().cols != prefix + grid.count()) return;
    const float aspect = static_cast<float>(grid.cols) / static_cast<float>(grid.rows);
    const float gap = frame.px(4);
    const ui::ColorScale scale = signed_scale(frame, -1, 1);
    const float named = frame.line();  // below each map: the layer
    const auto width_in = [&](Index rows) {
        const Index across = (steps + rows - 1) / rows;
        return std::min((inside.w + gap) / static_cast<float>(across) - gap,
                        ((inside.h + gap) / static_cast<float>(rows) - gap - named) * aspect);
    };
    ui::Rect bar = inside.last_row(0, 2);
    ui::color_line(frame.ui, bar, scale);
    const Index rows = width_in(2) > width_in(1) ? 2 : 1, across = (steps + rows - 1) / rows;
    const float wide = width_in(rows), tall = wide / aspect;
    const float step = std::min(
        (inside.w - wide) / static_cast<float>(std::max<Index>(1, across - 1)), wide * 1.5F);
    for (Index l = 0; l < steps; ++l) {
        Shown map;
        map.set_cells({likeness->view().row(l) + prefix, grid.rows, grid.cols, grid.cols},
                      likeness->version());
        const ui::Rect place{inside.x + static_cast<float>(l % across) * std::max(step, wide + gap),
                             inside.y + static_cast<float>(l / across) * (tall + named + gap), wide,
                             tall};
        name_map(frame, {place.x, place.y + tall, wide, named}, static_cast<int>(l));
        ui::HeatmapSpec spec;
        spec.name = fmt::format("heads.likeness.{}", l);
        spec.cells = map.cells;
        spec.scale = scale;
        spec.window = {0, 0, static_cast<float>(grid.rows), static_cast<float>(grid.cols)};
        spec.numbers = false;
        const auto hit = ui::heatmap(frame.ui, place, spec);
        if (!hit.hovered) continue;
        const int patch = hit.row * grid.cols + hit.col;
        frame.memory.next_hovered.token = static_cast<int>(prefix) + patch;
        frame.ui.tooltip(fmt::format("{}: cosine with {} is {}", after(frame, static_cast<int>(l)),
                                     patch_and_place(frame.trace, patch),
                                     ui::number(map.view(hit.row, hit.col), 3)));
    }
}

void distance_card(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    ui::Layout inside =
        card(frame, rect, {"MEAN DISTANCE IN PATCHES", "DISTANCE"}, side_dots_width(frame));
    const auto patches_away = [&](const HeadPlace& place) {
        return numbers_of(frame, place)[HeadMeasure::distance] /
               grid_of(frame, place.layer).settings.stride;
    };
    const int first = view.tiles.empty() ? 0 : frame.trace.model->token_transformers();
    const int layers = static_cast<int>(frame.trace.model->layers.size()) - first;
    double most = 0;
    for (const HeadTile& tile : view.tiles) {
        const double d = patches_away(tile.place);
        if (std::isfinite(d)) most = std::max(most, d);
    }
    if (most <= 0) return;
    const ui::Rect names = inside.last_row();
    const ui::Plot plot{with_ends(frame, inside, fmt::format("{:.1f}", most)), layers - 1, 0, most};
    ui::grid(frame.ui, plot);
    layer_axis(frame, plot, names, first);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float size = frame.px(5);
    for (const HeadTile& tile : view.tiles) {
        const double d = patches_away(tile.place);
        if (!std::isfinite(d)) continue;
        const bool shown = tile.place == view.shown;
        const ImVec2 at = plot.at(tile.place.layer - first, d);
        const float side_length = shown ? size * 1.8F : size;
        const ui::Rect dot{at.x - side_length / 2, at.y - side_length / 2, side_length,
                           side_length};
        ui::Canvas(frame.ui).fill(dot, shown ? frame.colors().accent : frame.colors().dim,
                                  side_length / 2);
        if (!dot.inset(-frame.px(2)).contains(mouse)) continue;
        if (!ImGui::IsWindowHovered()) continue;
        memory.next_pointed.head = tile.place;
        frame.ui.tooltip(name_of_head(frame, tile.place) + fmt::format(": {:.2f} patches", d));
    }
}

}  // namespace headlight::screens

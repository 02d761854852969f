#include <algorithm>
#include <cmath>

#include "frame/picture.h"
#include "frame/step_text.h"
#include "frame/tensor_text.h"
#include "program/ordinals.h"
#include "walk/panels.h"
#include "walk/ribbon.h"

namespace headlight::screens {

namespace {

void draw_thumbnail(Frame& frame, const ui::Rect& rect, const Node& step) {
    const std::string name = "ribbon." + std::string(step.name());
    // Attention-only import has no patches, but their grid is known.
    const bool squares = step.op == Op::gather && !frame.trace.has(step.result());
    if (step.op == Op::frame || squares) {
        const Image& image = *frame.trace.image;
        const ui::Rect place =
            rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
        PictureSpec picture{.name = name + ".picture", .interactive = false};
        if (squares) picture.token = frame.focus.token;
        draw_picture(frame, place, picture);
        return;
    }
    // Results computed on demand (with thousands of tokens) are shown only at the current step.
    const bool spared = frame.trace.on_demand(step.result()) && &step != &frame.node();
    const Shown what = spared ? Shown{} : shown(frame, step.result(), frame.head);
    if (what.cells.empty())
        return ui::Canvas(frame.ui).outline(rect, frame.colors().border, 1, frame.px(3));
    ui::HeatmapSpec spec;
    spec.name = name + ".matrix";
    spec.cells = what.cells;
    spec.scale = what.scale;
    spec.window = {0, 0, static_cast<float>(what.cells.rows), static_cast<float>(what.cells.cols)};
    spec.numbers = false;
    if (what.cells.rows > 1) spec.row = focus_row(frame, step.result());
    spec.outline_cell = false;
    spec.rounding = frame.px(3);
    ui::heatmap(frame.ui, rect, spec);
}

// A mark in the corner if another program's numbers differ.
void mark_off_reference(Frame& frame, const ui::Rect& rect, const Node& step) {
    if (!is_off_reference(frame, step.id)) return;
    ui::Canvas canvas(frame.ui);
    const ImVec2 corner{rect.x + rect.w - frame.px(2), rect.y + frame.px(2)};
    canvas.circle(corner, frame.px(6), frame.colors().bar);
    canvas.circle(corner, frame.px(4.5F), frame.colors().error);
    frame.ui.report("ribbon.off." + std::string(step.name()), reference_error(frame, step.id));
}

}  // namespace

void ribbon_thumbnail(Frame& frame, const ui::Rect& rect, const Node& step) {
    draw_thumbnail(frame, rect, step);
    mark_off_reference(frame, rect, step);
}

std::string ribbon_tip(const Frame& frame, const Node& step) {
    std::string off;
    if (is_off_reference(frame, step.id))
        off = "\nDifference from the reference: " + reference_error(frame, step.id);
    return step.title + "  ·  " + shape_text_of(frame.trace, step.result()) + "\n" +
           meaning_of(frame, step) + off;
}

namespace {

// A residual stream exists only with a layer, which adds to it; attention alone and maps have none.
bool has_stream(const Frame& frame) {
    const bool adds = !frame.trace.model->is_bare_layer() || frame.trace.has(Step::mlp_in);
    return adds && frame.trace.has(Step::skip);
}

}  // namespace

LayersChip layers_chip(const Frame& frame, const RibbonItem& layers) {
    return {layers,
            layers.first == layers.last ? "Layer" : "Layers",
            layer_range(*frame.trace.model, layers.first, layers.last),
            {},
            {}};
}

float layers_chip_width(Frame& frame, const std::string& text) {
    return ui::Canvas(frame.ui).measure(text, {.size = ui::Size::small}) + frame.px(12);
}

ui::Interaction draw_layers(Frame& frame, const LayersChip& chip) {
    const bool before = chip.layers.last < frame.trace.layer,
               beside = chip.layers.last + 1 == frame.trace.layer;
    const int to = before ? chip.layers.last : chip.layers.first;
    // Of two chips before it, the farther one is for T2T's token transformers.
    const char* name = !before ? "after" : beside ? "before" : "tokens";
    const auto state = ui::interact(frame.ui, std::string("ribbon.layers.") + name, chip.cell);
    ui::Canvas canvas(frame.ui);
    const float round = chip.mark.h / 2;
    canvas.fill(chip.mark, state.hovered ? frame.colors().hover : frame.colors().card, round);
    canvas.outline(chip.mark, state.hovered ? frame.colors().dim : frame.colors().border, 1, round);
    canvas.label(chip.mark, chip.text,
                 {.size = ui::Size::small,
                  .color = state.hovered ? frame.colors().text : frame.colors().dim,
                  .align = ui::Align::center});
    if (state.hovered) {
        const bool one = chip.layers.first == chip.layers.last;
        const std::string verb =
            before ? (one ? " comes before" : " come before") : (one ? " follows" : " follow");
        const std::string key = before ? (beside ? "   [" : "") : "   ]";
        frame.ui.tooltip(chip.title + " " + chip.text + verb +
                         (has_stream(frame) ? ": each reads the residual stream and adds to it."
                                            : ": each takes the output of the one before.") +
                         "\nClick to go to " +
                         frame.trace.model->layers[static_cast<std::size_t>(to)].name + key);
    }
    if (state.clicked) frame.say("layer", layer_number(*frame.trace.model, to));
    return state;
}

namespace {

// Other layers of a stack, at the place where they are computed.
void plain_layers(Frame& frame, const RibbonItem& item, const ui::Rect& cell) {
    LayersChip chip = layers_chip(frame, item);
    chip.cell = cell;
    ui::Layout inner(frame.ui, cell);
    inner.bottom(frame.line() - frame.px(2));
    const ui::Rect title = inner.last_row(0, 4);
    const float w = std::min(layers_chip_width(frame, chip.text), cell.w - frame.px(8)),
                h = std::min(inner.h, frame.line());
    chip.mark = {std::round(inner.center().x - w / 2), std::round(inner.center().y - h / 2), w, h};
    const auto state = draw_layers(frame, chip);
    if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ui::Canvas(frame.ui).label(title, chip.title,
                               {.size = ui::Size::small,
                                .color = state.hovered ? frame.colors().text : frame.colors().dim,
                                .align = ui::Align::center});
}

ui::TextStyle plain_title(const Frame& frame, bool current, bool hovered) {
    return {.face = current ? ui::Face::bold : ui::Face::words,
            .size = ui::Size::small,
            .color = current || hovered ? frame.colors().text : frame.colors().dim,
            .align = ui::Align::center};
}

// The titles of the steps, one for each item; no width: not shown. They may be wider than their
// cells. Where two would touch, the second is left to its tooltip: half a word names nothing.
std::vector<Label> plain_titles(Frame& frame, const std::vector<RibbonItem>& items,
                                const ui::Rect& rect) {
    const float each = rect.w / static_cast<float>(items.size());
    std::vector<Label> labels;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Node* step = items[i].node;
        const bool current = step == &frame.node();
        const float width =
            step == nullptr
                ? each
                : ui::Canvas(frame.ui).measure(step->title, plain_title(frame, current, false)) + 2;
        labels.push_back({rect.x + each * (static_cast<float>(i) + 0.5F), width,
                          current || step == nullptr ? 0 : 1});
    }
    const std::vector<bool> shown =
        place_labels(labels, frame.px(3), rect.x - frame.px(6), rect.x + rect.w + frame.px(6));
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!shown[i]) labels[i].width = 0;
    return labels;
}

// Cells side by side, with arrows between them.
void plain_ribbon(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    ui::Layout rest(frame.ui, rect, 8, 8);
    const std::vector<RibbonItem> items = ribbon_items(frame.trace);
    const std::vector<Label> titles = plain_titles(frame, items, rest);
    const float each = rest.w / static_cast<float>(items.size());
    for (const RibbonItem& item : items) {
        const ui::Rect cell = rest.left(each);
        const bool last = &item == &items.back();
        if (!item.is_step()) {
            plain_layers(frame, item, cell);
            if (!last)
                canvas.arrow_right({cell.x + cell.w, cell.center().y - frame.line()}, frame.px(12),
                                   frame.colors().faint);
            continue;
        }
        const Node& step = *item.node;
        const std::string name = "ribbon." + std::string(step.name());
        const bool current = &step == &frame.node();
        ui::Layout inner(frame.ui, cell);
        const ui::Rect shape = inner.bottom(frame.line() - frame.px(2));
        const ui::Rect title = inner.last_row(0, 4);
        const ui::Rect square = inner.fit(1.0F);
        const ui::Rect whole{std::round(square.x), std::round(square.y), std::round(square.w),
                             std::round(square.h)};
        // Before the thumbnail, because ImGui gives the pointer to the first of overlapping
        // widgets.
        const auto state = ui::interact(frame.ui, name, cell, ui::Stop::no);
        ribbon_thumbnail(frame, whole, step);
        if (state.hovered) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            frame.ui.tooltip(ribbon_tip(frame, step));
        }
        if (state.clicked) frame.say("step", std::string(step.name()));
        if (current)
            canvas.outline(whole.inset(-frame.px(3)), frame.colors().accent, frame.px(2),
                           frame.px(5));
        const Label& words = titles[static_cast<std::size_t>(&item - items.data())];
        if (words.width > 0)
            canvas.label({words.center - words.width / 2, title.y, words.width, title.h},
                         step.title, plain_title(frame, current, state.hovered));
        const ui::TextStyle mono = frame.mono_dim(ui::Align::center);
        // Half a shape would look like another one. The tooltip has it.
        if (const std::string text = shape_text_of(frame.trace, step.result());
            canvas.measure(text, mono) <= shape.w)
            canvas.label(shape, text, mono);
        if (!last)
            canvas.arrow_right({cell.x + cell.w, whole.center().y}, frame.px(12),
                               frame.colors().faint);
    }
}

}  // namespace

float ribbon_height(const Frame& frame) {
    if (has_stream(frame)) return stream_ribbon_height(frame);
    return frame.line() * 2 + frame.px(frame.low ? 58.0F : 72.0F);
}

void ribbon(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y + rect.h - 1}, {rect.x + rect.w, rect.y + rect.h - 1},
                frame.colors().border);
    has_stream(frame) ? stream_ribbon(frame, rect) : plain_ribbon(frame, rect);
}

}  // namespace headlight::screens

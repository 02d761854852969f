#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "frame/tensor_text.h"
#include "walk/ribbon.h"
#include "walk/ribbon_plan.h"

namespace headlight::screens {

namespace {

constexpr float kPad = 8, kRowGap = 12, kLabelGap = 3;  // units

float thumb_size(const Frame& frame) { return frame.px(frame.low ? 24 : 32); }

// The shape of every result has its own line if there is enough height. In a low window, the
// current step's shape follows its title; in lecture view there is none.
bool with_shapes(const Frame& frame) { return !frame.low && !frame.state.look.lecture; }

// All elements of the ribbon with their positions on the screen.
struct Layout {
    struct Placed {
        RibbonItem item;
        std::string title;  // below or above the mark
        std::string text;   // in the mark of skipped layers
        std::string shape;  // of the result, under the title
        ui::Rect cell, mark;
        float label_y = 0;
        bool current = false;
    };
    std::vector<Placed> items;
    std::vector<Label> labels;                            // of titles, then shapes, then captions
    std::vector<std::pair<std::string, Label>> captions;  // of branches
    float stream_y = 0, branch_y = 0, caption_y = 0;
    int current = 0;
};

ui::TextStyle title_style(const Frame& frame, bool current) {
    return {.face = current ? ui::Face::bold : ui::Face::words,
            .size = ui::Size::small,
            .color = current ? frame.colors().text : frame.colors().dim,
            .align = ui::Align::center};
}

Layout::Placed named(const Frame& frame, const RibbonItem& item) {
    Layout::Placed placed;
    placed.item = item;
    if (item.is_step()) {
        placed.title = item.node->title;
        placed.current = item.node == &frame.node();
        const std::string shape = shape_text_of(frame.trace, item.node->result());
        if (with_shapes(frame))
            placed.shape = shape;
        else if (placed.current && !shape.empty() && !frame.state.look.lecture)
            placed.title += "  " + shape;
        return placed;
    }
    const LayersChip chip = layers_chip(frame, item);
    placed.text = chip.text;
    placed.title = chip.title;
    return placed;
}

void place_columns(Frame& frame, Layout& layout, const ui::Rect& rect, float thumb) {
    ui::Canvas canvas(frame.ui);
    std::vector<float> wanted, least;
    for (const Layout::Placed& placed : layout.items) {
        const float title = canvas.measure(placed.title, title_style(frame, true));
        const float text = canvas.measure(placed.text, {.size = ui::Size::small});
        least.push_back(placed.item.is_step() ? thumb + frame.px(6) : text + frame.px(20));
        wanted.push_back(std::max(title + frame.px(14), least.back() + frame.px(6)));
    }
    const std::vector<float> widths = share_out(wanted, least, rect.w);
    ui::Layout rest(frame.ui, rect);
    for (std::size_t i = 0; i < widths.size(); ++i) {
        Layout::Placed& placed = layout.items[i];
        placed.cell = rest.left(widths[i]);
        const float y = placed.item.branch ? layout.branch_y : layout.stream_y;
        float w = thumb, h = thumb;
        if (!placed.item.is_step()) {
            w = layers_chip_width(frame, placed.text);
            h = std::min(thumb, frame.line());
        }
        placed.mark = {std::round(placed.cell.center().x - w / 2), std::round(y - h / 2), w, h};
    }
}

// The current step's title takes precedence, then those beside it.
int rank_of(const Layout& layout, int index) {
    const RibbonItem& item = layout.items[static_cast<std::size_t>(index)].item;
    const int distance = std::abs(index - layout.current);
    if (!item.is_step()) return 2;
    return distance < 2 ? distance : 3;
}

// Whether the branch of these items contains the softmax.
bool is_attention(const Layout& layout, std::size_t begin, std::size_t end) {
    return std::any_of(layout.items.begin() + static_cast<std::ptrdiff_t>(begin),
                       layout.items.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const auto& placed) { return placed.item.node->id == Step::softmax; });
}

// One caption under each run of branch steps.
void caption_branches(Frame& frame, Layout& layout) {
    const auto& items = layout.items;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].item.branch) continue;
        std::size_t end = i;
        while (end < items.size() && items[end].item.branch) ++end;
        const float left = items[i].cell.x, right = items[end - 1].cell.x + items[end - 1].cell.w;
        const bool mlp = !is_attention(layout, i, end);
        const std::string text = mlp ? "MLP" : frame.trace.model_layer().name + " · attention";
        const float width = ui::Canvas(frame.ui).measure(text, title_style(frame, false));
        layout.captions.emplace_back(text, Label{(left + right) / 2, width, 4, 1});
        i = end;
    }
}

Layout lay_out(Frame& frame, const ui::Rect& rect, float thumb) {
    Layout layout;
    float y = rect.y + frame.px(kPad);
    const float upper_label = y;
    y += frame.line() + frame.px(kLabelGap);
    if (with_shapes(frame)) y += frame.line();
    layout.branch_y = y + thumb / 2;
    layout.stream_y = layout.branch_y + thumb + frame.px(kRowGap);
    layout.caption_y = layout.stream_y + thumb / 2 + frame.px(kLabelGap);
    for (const RibbonItem& item : ribbon_items(frame.trace)) {
        layout.items.push_back(named(frame, item));
        if (layout.items.back().current) layout.current = static_cast<int>(layout.items.size()) - 1;
    }
    place_columns(frame, layout, rect.inset(frame.px(kPad), 0), thumb);
    for (int i = 0; i < static_cast<int>(layout.items.size()); ++i) {
        Layout::Placed& placed = layout.items[static_cast<std::size_t>(i)];
        const bool above = placed.item.branch;
        placed.label_y = above ? upper_label : layout.caption_y;
        const float width =
            ui::Canvas(frame.ui).measure(placed.title, title_style(frame, placed.current));
        layout.labels.push_back({placed.cell.center().x, width, rank_of(layout, i), above ? 0 : 1});
    }
    for (int i = 0; i < static_cast<int>(layout.items.size()); ++i) {
        const Layout::Placed& placed = layout.items[static_cast<std::size_t>(i)];
        const float width =
            ui::Canvas(frame.ui).measure(placed.shape, frame.mono_dim(ui::Align::center));
        layout.labels.push_back(
            {placed.cell.center().x, width, rank_of(layout, i), placed.item.branch ? 2 : 3});
    }
    caption_branches(frame, layout);
    for (const auto& caption : layout.captions) layout.labels.push_back(caption.second);
    return layout;
}

// From a dot on the residual stream up, along the branch, and down to the sum that adds it.
void draw_branch(Frame& frame, const Layout& layout, std::size_t begin, std::size_t end) {
    ui::Canvas canvas(frame.ui);
    const ImU32 color = frame.colors().faint;
    const float thick = frame.px(1.5F), radius = frame.px(7);
    const float from = layout.items[begin].cell.x;
    const bool added = end < layout.items.size();
    const ui::Rect& last = layout.items[end - 1].mark;
    const float to = added ? layout.items[end].mark.center().x : last.x + last.w;
    ui::Path line;
    line.to({from, layout.stream_y}).to({from, layout.branch_y + radius});
    line.curve({from, layout.branch_y}, {from + radius, layout.branch_y});
    if (added) {
        const float tip = layout.items[end].mark.y - frame.px(2), wing = frame.px(4);
        line.to({to - radius, layout.branch_y});
        line.curve({to, layout.branch_y}, {to, layout.branch_y + radius}).to({to, tip});
        canvas.line({to - wing, tip - wing}, {to, tip}, color, thick);
        canvas.line({to + wing, tip - wing}, {to, tip}, color, thick);
    } else {
        line.to({to, layout.branch_y});
    }
    canvas.path(line.points(), color, thick);
    canvas.circle({from, layout.stream_y}, frame.px(4), frame.colors().hue(ui::Hue::token));
}

void draw_lines(Frame& frame, const Layout& layout) {
    const auto& items = layout.items;
    ui::Canvas canvas(frame.ui);
    const auto stream = [&](float from, float to) {
        canvas.line({from, layout.stream_y}, {to, layout.stream_y},
                    frame.colors().hue(ui::Hue::token), frame.px(2.5F));
    };
    float from = items.front().mark.center().x;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].item.branch) continue;
        std::size_t end = i;
        while (end < items.size() && items[end].item.branch) ++end;
        // The residual stream continues only if X itself is added to the branch's output.
        if (is_attention(layout, i, end) && !adds_input(frame.trace.config.skip) &&
            end < items.size()) {
            stream(from, items[i].cell.x);
            from = items[end].mark.x;
        }
        draw_branch(frame, layout, i, end);
        i = end;
    }
    stream(from, items.back().mark.center().x);
}

ui::Interaction draw_step(Frame& frame, const Layout::Placed& placed) {
    const std::string name(placed.item.node->name());
    // Before the thumbnail, because ImGui gives the pointer to the first of overlapping widgets.
    const auto state = ui::interact(frame.ui, "ribbon." + name, placed.cell, ui::Stop::no);
    ui::Canvas canvas(frame.ui);
    canvas.fill(placed.mark, frame.colors().bar);
    ribbon_thumbnail(frame, placed.mark, *placed.item.node);
    if (placed.current)
        canvas.outline(placed.mark.inset(-frame.px(3)), frame.colors().accent, frame.px(2),
                       frame.px(5));
    if (state.hovered) frame.ui.tooltip(ribbon_tip(frame, *placed.item.node));
    if (state.clicked) frame.say("step", name);
    return state;
}

}  // namespace

float stream_ribbon_height(const Frame& frame) {
    const float rows = thumb_size(frame) * 2 + frame.px(kRowGap);
    const float words =
        (frame.line() + frame.px(kLabelGap)) * 2 + (with_shapes(frame) ? frame.line() * 2 : 0);
    return std::round(rows + words + frame.px(kPad + 6));
}

void stream_ribbon(Frame& frame, const ui::Rect& rect) {
    Layout layout = lay_out(frame, rect, thumb_size(frame));
    draw_lines(frame, layout);
    ui::Canvas canvas(frame.ui);
    const std::vector<bool> shown =
        place_labels(layout.labels, frame.px(7) * frame.ui.text_scale(), rect.x + frame.px(4),
                     rect.x + rect.w - frame.px(4));
    for (std::size_t i = 0; i < layout.items.size(); ++i) {
        const Layout::Placed& placed = layout.items[i];
        const auto state = placed.item.is_step()
                               ? draw_step(frame, placed)
                               : draw_layers(frame, {placed.item, placed.title, placed.text,
                                                     placed.cell, placed.mark});
        if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        const std::size_t of_shape = layout.items.size() + i;
        if (shown[of_shape] && !placed.shape.empty()) {
            const Label& label = layout.labels[of_shape];
            canvas.label({label.center - label.width / 2 - 1, placed.label_y + frame.line(),
                          label.width + 2, frame.line()},
                         placed.shape, frame.mono_dim(ui::Align::center));
        }
        if (!shown[i]) continue;
        ui::TextStyle style = title_style(frame, placed.current);
        if (state.hovered) style.color = frame.colors().text;
        const Label& label = layout.labels[i];
        canvas.label(
            {label.center - label.width / 2 - 1, placed.label_y, label.width + 2, frame.line()},
            placed.title, style);
    }
    for (std::size_t i = 0; i < layout.captions.size(); ++i) {
        const std::size_t at = 2 * layout.items.size() + i;
        const Label& label = layout.labels[at];
        if (shown[at])
            canvas.label({label.center - label.width / 2 - 1, layout.caption_y, label.width + 2,
                          frame.line()},
                         layout.captions[i].first, title_style(frame, false));
    }
}

}  // namespace headlight::screens

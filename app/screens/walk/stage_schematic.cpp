#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frame/tensor_text.h"
#include "program/ordinals.h"
#include "walk/stages.h"

// The walk as a diagram of its nodes: boxes from top to bottom, the model on the left and the layer
// on the right. A click on a box opens its step.
namespace headlight::screens {

namespace {

// A box: a node, a layer, or a group (the input of a layer, or all layers).
struct SchemeBox {
    std::string title{}, shape{}, brief{};  // brief: if the title has no space; may be empty
    const Node* node = nullptr;
    std::optional<int> layer{};
    ImU32 color = 0;
    bool present = false;
};

// A line beside the boxes, from one to a later one that also uses it.
struct SchemeSkip {
    std::size_t from = 0, to = 0;
};

struct Scheme {
    std::string title;
    std::vector<SchemeBox> boxes;
    std::vector<SchemeSkip> skips;
    bool first_apart = false;  // only lines beside the boxes lead on from the first
};

SchemeBox box_of(Frame& frame, const Node& node) {
    SchemeBox box{.title = node.title, .node = &node, .color = color_of(frame, node.result())};
    if (frame.trace.has(node.result())) box.shape = shape_text_of(frame.trace, node.result());
    box.present = node.id == frame.step();
    return box;
}

// The box that computed a tensor; the first one if none did, because it is an input.
std::size_t maker_of(const std::vector<SchemeBox>& boxes, std::size_t before, Tensor tensor) {
    for (std::size_t i = before; i-- > 0;)
        if (boxes[i].node != nullptr &&
            std::ranges::find(boxes[i].node->results, tensor) != boxes[i].node->results.end())
            return i;
    return 0;
}

bool is_weight(Tensor tensor) { return info(tensor).role == Role::weight; }

// Lines that skip at least one box: residual connections and the like.
void add_skips(Scheme& scheme) {
    for (std::size_t i = 1; i < scheme.boxes.size(); ++i) {
        const Node* node = scheme.boxes[i].node;
        if (node == nullptr || node->op != Op::add) continue;
        for (const Tensor operand : node->operands) {
            if (is_weight(operand) || shared_by_samples(operand)) continue;
            const std::size_t from = maker_of(scheme.boxes, i, operand);
            if (from + 1 < i) scheme.skips.push_back({from, i});
        }
    }
}

Scheme layer_scheme(Frame& frame) {
    const Model& model = *frame.trace.model;
    const Index before = model.token_transformers(), layers = std::ssize(model.layers) - before;
    std::string title = layers > 1 ? frame.trace.model_layer().name : "The layer";
    if (layers > 1 && frame.trace.layer >= before) title += " of " + std::to_string(layers);
    Scheme scheme{.title = std::move(title), .boxes = {}, .skips = {}};
    scheme.boxes.push_back(
        {.title = "X, the input tokens", .brief = "X", .color = frame.colors().dim});
    for (const Node& node : frame.trace.nodes)
        if (node.place == Place::layer) scheme.boxes.push_back(box_of(frame, node));
    add_skips(scheme);
    return scheme;
}

// The decoder's attentions in sequence, and the encoder's output, which every second one uses.
Scheme decoder_scheme(Frame& frame) {
    const Trace& trace = frame.trace;
    Scheme scheme{.title = "Encoder and decoder", .boxes = {}, .skips = {}, .first_apart = true};
    scheme.boxes.push_back({.title = "Output of the encoder: the memory",
                            .brief = "Memory",
                            .color = color_of(frame, Tensor::value_tokens)});
    if (trace.has(Tensor::value_tokens))
        scheme.boxes.back().shape = shape_text_of(trace, Tensor::value_tokens);
    scheme.boxes.push_back(
        {.title = "The decoder's tokens", .brief = "Tokens", .color = frame.colors().dim});
    for (int i = 0; i < static_cast<int>(trace.model->layers.size()); ++i) {
        const Layer& layer = trace.model->layers[static_cast<std::size_t>(i)];
        const bool across = layer.part == DecoderPart::cross_attention;
        if (across) scheme.skips.push_back({0, scheme.boxes.size()});
        scheme.boxes.push_back(
            {.title = layer.name + (across ? ": cross-attention, MLP" : ": self-attention"),
             .brief = layer.name + (across ? ": cross" : ": self"),
             .layer = i,
             .color = frame.colors().accent,
             .present = trace.layer == i && frame.node().place == Place::layer});
    }
    for (const Node& node : trace.nodes)
        if (node.place == Place::end) scheme.boxes.push_back(box_of(frame, node));
    return scheme;
}

constexpr std::size_t kMostParts = 12;  // of a decoder, each with a box

Scheme model_scheme(Frame& frame) {
    const Model& model = *frame.trace.model;
    if (model.is_decoder() && model.layers.size() <= kMostParts) return decoder_scheme(frame);
    const Index count = std::ssize(model.layers) - model.token_transformers();
    Scheme scheme{.title = "The model", .boxes = {}, .skips = {}};
    for (const Node& node : frame.trace.nodes)
        if (node.place == Place::front) scheme.boxes.push_back(box_of(frame, node));
    const std::string layers = count > 1 ? std::to_string(count) + " layers" : "1 layer";
    scheme.boxes.push_back({.title = layers + ", one of them on the right →",
                            .brief = layers + " →",
                            .color = frame.colors().accent,
                            .present = frame.node().place == Place::layer});
    for (const Node& node : frame.trace.nodes)
        if (node.place == Place::end) scheme.boxes.push_back(box_of(frame, node));
    return scheme;
}

// The rectangles of a column's boxes.
struct SchemeColumn {
    ui::Rect rect;
    float high = 0, gap = 0, left = 0;

    [[nodiscard]] ui::Rect at(std::size_t i) const {
        return {rect.x + left, rect.y + static_cast<float>(i) * (high + gap), rect.w - left, high};
    }
};

void arrow_down(ui::Canvas& canvas, ImVec2 from, ImVec2 to, float head, ImU32 color) {
    canvas.line(from, {to.x, to.y - head}, color, 1.5F);
    canvas.triangle({to.x - head * 0.7F, to.y - head}, {to.x + head * 0.7F, to.y - head}, to,
                    color);
}

void draw_skip(Frame& frame, const SchemeColumn& column, const SchemeSkip& skip, int lane) {
    ui::Canvas canvas(frame.ui);
    const ui::Rect from = column.at(skip.from), to = column.at(skip.to);
    const float x = from.x - frame.px(12) - static_cast<float>(lane) * frame.px(10);
    const ImU32 ink = frame.colors().accent;
    const float y0 = from.center().y, y1 = to.center().y, head = frame.px(5);
    canvas.path({{from.x, y0}, {x, y0}, {x, y1}, {to.x - head, y1}}, ink, frame.px(1.5F));
    canvas.triangle({to.x - head, y1 - head * 0.7F}, {to.x - head, y1 + head * 0.7F}, {to.x, y1},
                    ink);
}

void draw_box(Frame& frame, const ui::Rect& place, const SchemeBox& box) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(place, frame.colors().card, frame.px(5));
    canvas.fill({place.x, place.y, frame.px(4), place.h}, box.color, frame.px(2));
    canvas.outline(place, box.present ? frame.colors().accent : frame.colors().border,
                   frame.px(box.present ? 2.0F : 1.0F), frame.px(5));
    const std::string& brief = box.brief.empty() ? box.title : box.brief;
    const ui::TextStyle title{.face = box.present ? ui::Face::bold : ui::Face::words,
                              .size = ui::Size::small};
    // A narrow margin is better than half a name.
    const bool tight = canvas.measure(brief, title) > place.w - frame.px(24);
    ui::Layout inside(frame.ui, place.inset(frame.px(tight ? 8 : 12), 0));
    const ui::TextStyle shape = frame.mono_dim(ui::Align::right);
    const float wide = canvas.measure(box.shape, shape);
    if (wide + frame.px(8) + canvas.measure(brief, title) < inside.w)
        canvas.label(inside.right(wide + frame.px(8)), box.shape, shape);
    label_that_fits(canvas, inside, {box.title, brief}, title);
    if (box.node == nullptr && !box.layer) return;
    const std::string name =
        box.layer ? fmt::format("layer.{}", *box.layer + 1) : std::string(box.node->name());
    const auto mouse = ui::interact(frame.ui, "schematic." + name, place, ui::Stop::no);
    if (!mouse.hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    canvas.outline(place, frame.colors().accent, frame.px(1.5F), frame.px(5));
    if (!mouse.clicked) return;
    if (box.layer)
        frame.say("layer", layer_number(*frame.trace.model, *box.layer));
    else
        frame.say("step", name);
}

void draw_scheme(Frame& frame, ui::Layout rect, const Scheme& scheme) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle title =
        style_that_fits(canvas, scheme.title, {.face = ui::Face::bold}, rect.w);
    const std::string brief = scheme.first_apart ? "Decoder" : scheme.title;
    label_that_fits(canvas, rect.row(ui::Size::body, 4), {scheme.title, brief}, title);
    const auto count = static_cast<float>(scheme.boxes.size());
    const float most = frame.px(30) * frame.ui.text_scale();
    SchemeColumn column{.rect = rect};
    // A third of the space is for the arrows.
    column.high = std::min(most, rect.h / count * 0.68F);
    column.gap = std::min(most * 0.5F, (rect.h - column.high * count) / std::max(1.0F, count - 1));
    // Lines from one box share a lane.
    const std::size_t lanes = scheme.first_apart ? 1 : scheme.skips.size();
    column.left = scheme.skips.empty()
                      ? frame.px(4)
                      : frame.px(18) + frame.px(10) * static_cast<float>(lanes - 1);
    for (std::size_t i = 0; i < scheme.boxes.size(); ++i) {
        const ui::Rect place = column.at(i);
        draw_box(frame, place, scheme.boxes[i]);
        if (i + 1 == scheme.boxes.size()) break;
        if (i == 0 && scheme.first_apart) continue;
        const float x = place.center().x;
        arrow_down(canvas, {x, place.y + place.h}, {x, place.y + place.h + column.gap},
                   std::min(frame.px(5), column.gap * 0.6F), frame.colors().faint);
    }
    for (std::size_t i = 0; i < scheme.skips.size(); ++i)
        draw_skip(frame, column, scheme.skips[i], scheme.first_apart ? 0 : static_cast<int>(i));
}

}  // namespace

bool has_schematic(const Frame& frame) {
    return frame.trace.model && !frame.trace.model->is_maps() && !frame.difference() &&
           std::ranges::any_of(frame.trace.nodes,
                               [](const Node& node) { return node.place == Place::layer; });
}

void stage_schematic(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    // In a narrow stage the names in the boxes need the room; the lines beside them need little.
    const bool narrow = rect.w < frame.px(560) * frame.ui.text_scale();
    const float gap = frame.px(narrow ? 18 : 36);
    const ui::Layout left = rest.left((rest.w - gap) * (narrow ? 0.48F : 0.46F));
    rest.left(gap);
    draw_scheme(frame, left, model_scheme(frame));
    draw_scheme(frame, rest, layer_scheme(frame));
    frame.ui.report("schematic", std::to_string(frame.trace.nodes.size()));
}

}  // namespace headlight::screens

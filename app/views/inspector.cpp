#include <algorithm>
#include <cctype>
#include <cmath>

#include "views/panels.h"
#include "views/step_text.h"

namespace headlight::views {

namespace {

constexpr float kPad = 12;

// A card of the given inner height, taken off the top; returns the inside.
ui::Rect card(Scene& scene, ui::Rect& rect, float inner) {
    const ui::Rect whole = rect.cut_top(inner + scene.px(2 * kPad));
    ui::Canvas(scene.ui).card(whole, scene.colors().card);
    rect.cut_top(scene.px(10));
    return whole.inset(scene.px(kPad));
}

float wrapped_height(Scene& scene, std::string_view text, const ui::TextStyle& style, float width) {
    return ui::Canvas(scene.ui).measure_wrapped(text, style, width).y;
}

void meaning(Scene& scene, ui::Rect& rect) {
    const ui::TextStyle style{.size = ui::Size::body};
    const std::string text = meaning_of(scene, scene.node());
    const float inner = rect.w - scene.px(2 * kPad);
    const ui::Rect inside = card(scene, rect, wrapped_height(scene, text, style, inner));
    ui::Canvas(scene.ui).wrapped(inside, text, style);
}

std::string shape_comment(const Scene& scene) {
    const Tensor tensor = scene.node().result();
    if (!scene.trace.has(tensor)) return "";  // attention-only import: the line itself says it
    const std::string n = std::to_string(scene.trace.rows(tensor)),
                      c = std::to_string(scene.trace.cols(tensor));
    if (tensor == Tensor::pixels)
        return "# [" + std::to_string(scene.trace.image->channels) + ", " + n + ", " +
               std::to_string(scene.trace.image->width) + "]";
    if (info(tensor).per_head)
        return "# [1, " + std::to_string(scene.trace.shape.heads) + ", " + n + ", " + c + "]";
    return "# [1, " + n + ", " + c + "]";
}

void code(Scene& scene, ui::Rect& rect) {
    const ui::TextStyle style{.face = ui::Face::mono, .size = ui::Size::small};
    const std::string line = pytorch_of(scene);
    const float inner = rect.w - scene.px(2 * kPad);
    const std::string shape = shape_comment(scene);
    const float height = wrapped_height(scene, line, style, inner);
    ui::Rect inside = card(scene, rect, height + (shape.empty() ? 0 : scene.line()));
    ui::Canvas canvas(scene.ui);
    canvas.wrapped(inside.cut_top(height), line, style);
    ui::TextStyle comment = style;
    comment.color = scene.colors().dim;
    canvas.label(inside, shape, comment);
}

struct Fact {
    std::string what, value;
};

std::string range_text(const Statistics& s) {
    return ui::number(s.min) + " … " + ui::number(s.max);
}
std::string mean_text(const Statistics& s) {
    return ui::number(s.mean) + " ± " + ui::number(s.deviation);
}

// How many learned numbers the step multiplies by; empty where it has none.
std::string weights_text(const Scene& scene) {
    for (const Tensor operand : scene.node().operands) {
        if (info(operand).role != Role::weight) continue;
        const Index rows = scene.trace.rows(operand), cols = scene.trace.cols(operand);
        return std::to_string(rows) + " × " + std::to_string(cols) + " = " +
               std::to_string(rows * cols);
    }
    return "";
}

std::vector<Fact> facts_about(Scene& scene, const MatrixSummary& summary, Tensor tensor) {
    const Statistics& s = summary.statistics;
    std::vector<Fact> facts{{"range", range_text(s)}, {"mean ± sd", mean_text(s)}};
    if (tensor == Tensor::attention && !scene.difference()) {
        facts.push_back({"row sums", ui::number(summary.sums.min, 6) + " … " +
                                         ui::number(summary.sums.max, 6)});
        facts.push_back({"mean entropy",
                         ui::number(summary.entropy, 2) + " of " +
                             ui::number(std::log2(static_cast<double>(scene.trace.shape.keys)), 2) +
                             " bit"});
    }
    if (s.nan > 0) facts.push_back({"NaN cells", std::to_string(s.nan)});
    if (s.infinite > 0) facts.push_back({"infinite cells", std::to_string(s.infinite)});
    if (const std::string weights = weights_text(scene); !weights.empty())
        facts.push_back({"weights", weights});
    const auto& before = scene.work.pinned_summary();
    if (before) {
        if (const MatrixSummary* a = before->find(tensor, scene.head);
            a != nullptr && scene.state.look.compare == Compare::now) {
            facts.push_back({"range in A", range_text(a->statistics)});
            facts.push_back({"mean ± sd in A", mean_text(a->statistics)});
        }
    }
    return facts;
}

void histogram_bars(Scene& scene, const ui::Rect& rect, const MatrixSummary& summary) {
    std::vector<ui::Bar> bars;
    for (const Index count : summary.bins)
        bars.push_back({static_cast<float>(count),
                        ui::mix(scene.colors().hue(ui::Hue::key), scene.colors().card, 0.35F)});
    const int hovered = ui::bars(scene.ui, "inspector.histogram", rect, bars, std::nullopt);
    if (hovered < 0) return;
    const Statistics& s = summary.statistics;
    const float width = (s.max - s.min) / static_cast<float>(summary.bins.size());
    const float from = s.min + width * static_cast<float>(hovered);
    scene.ui.tooltip(std::to_string(summary.bins[static_cast<std::size_t>(hovered)]) +
                     " cells from " + ui::number(from) + " to " + ui::number(from + width));
}

void numbers(Scene& scene, ui::Rect& rect) {
    const Tensor tensor = scene.node().result();
    const Shown what = shown(scene, tensor, scene.head);
    if (what.comparable && what.summary == nullptr) return;
    ui::Canvas canvas(scene.ui);
    canvas.caption(rect.cut_top(scene.line()), "NUMBERS");
    rect.cut_top(scene.px(4));
    if (!what.comparable) {
        const ui::TextStyle style{.size = ui::Size::small, .color = scene.colors().dim};
        const std::string_view text = "There is no difference: A has another shape here.";
        const float inner = rect.w - scene.px(2 * kPad);
        const ui::Rect inside = card(scene, rect, wrapped_height(scene, text, style, inner));
        canvas.wrapped(inside, text, style);
        return;
    }
    const auto facts = facts_about(scene, *what.summary, tensor);
    const float bars = scene.px(64), line = scene.line();
    const float edge = scene.line();
    ui::Rect inside = card(
        scene, rect,
        static_cast<float>(facts.size()) * line + scene.px(8) + bars + edge + scene.px(22) + line);
    for (const Fact& fact : facts) {
        const ui::Rect row = inside.cut_top(line);
        canvas.label(row, fact.what, {.size = ui::Size::small, .color = scene.colors().dim});
        canvas.label(row, fact.value,
                     {.face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right});
        scene.ui.report("numbers." + fact.what, fact.value);
    }
    inside.cut_top(scene.px(8));
    histogram_bars(scene, inside.cut_top(bars), *what.summary);
    const ui::Rect ends = inside.cut_top(edge);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .color = scene.colors().dim};
    ui::TextStyle right = mono;
    right.align = ui::Align::right;
    canvas.label(ends, ui::number(what.summary->statistics.min), mono);
    canvas.label(ends, ui::number(what.summary->statistics.max), right);
    inside.cut_top(scene.px(12));
    ui::color_bar(scene.ui, inside, what.scale, "colours");
}

}  // namespace

void inspector(Scene& scene, const ui::Rect& rect) {
    ui::begin_child("inspector.scroll", rect, ImGuiWindowFlags_NoBackground);
    ui::Canvas canvas(scene.ui);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    // As long as it needs to be; the child scrolls.
    ui::Rect rest{top.x, top.y, rect.w - scene.px(12), 1e6F};
    const Node& step = scene.node();
    const std::vector<Step>& steps = scene.work.steps();
    const auto number = std::find(steps.begin(), steps.end(), step.id) - steps.begin() + 1;
    std::string title = step.title;
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
    canvas.caption(rest.cut_top(scene.line()), "STEP " + std::to_string(number) + " OF " +
                                                   std::to_string(steps.size()) + " · " + title);
    rest.cut_top(scene.px(6));
    meaning(scene, rest);
    if (!scene.state.look.lecture) {
        code(scene, rest);
        prediction(scene, rest);
        numbers(scene, rest);
        experiment(scene, rest);
    }
    ImGui::SetCursorScreenPos({top.x, rest.y});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

}  // namespace headlight::views

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "analysis/cost.h"
#include "frame/step_text.h"
#include "frame/terms.h"
#include "kernels/counted.h"
#include "pytorch/notation.h"
#include "ui/color_bar.h"
#include "walk/gradient_panel.h"
#include "walk/panels.h"
#include "walk/ribbon_plan.h"
#include "walk/sections.h"

namespace headlight::screens {

namespace {

constexpr float kInspectorPad = 12;

// A card of the given inner height, taken off the top; returns its inside.
ui::Layout card(Frame& frame, ui::Layout& rect, float inner) {
    const ui::Rect whole = rect.top(inner + frame.px(2 * kInspectorPad), 10);
    ui::Canvas(frame.ui).card(whole, frame.colors().card);
    return {frame.ui, whole, kInspectorPad, kInspectorPad};
}

float wrapped_height(Frame& frame, std::string_view text, const ui::TextStyle& style, float width) {
    return ui::Canvas(frame.ui).measure_wrapped(text, style, width).y;
}

// "three times"
std::string times_text(int count) {
    constexpr std::array<std::string_view, 12> words{
        "once",        "twice",       "three times", "four times", "five times",   "six times",
        "seven times", "eight times", "nine times",  "ten times",  "eleven times", "twelve times"};
    if (count <= static_cast<int>(words.size()))
        return std::string(words[static_cast<std::size_t>(count - 1)]);
    return std::to_string(count) + " times";
}

// For layers that the walk skips: what they do, and how to open them.
std::string passed_layers_text(const Frame& frame) {
    const std::vector<RibbonItem> items = ribbon_items(frame.trace);
    const auto present = std::ranges::find(items, &frame.node(), &RibbonItem::node);
    if (present == items.end()) return "";
    const auto text_of = [&](const RibbonItem& layers, bool before) {
        const int count = layers.last - layers.first + 1;
        const std::string range = layer_range(*frame.trace.model, layers.first, layers.last);
        const std::string who = (count == 1 ? "Layer " : "Layers ") + range;
        const std::string what = (before ? (count == 1 ? " comes before: " : " come before: ")
                                         : (count == 1 ? " follows: " : " follow: "));
        return who + what + "the same steps" + (count == 1 ? "" : ", " + times_text(count)) +
               ". Click " + range + " above to walk through " + (count == 1 ? "it" : "them") + "." +
               (before ? " Each token here already combines many patches or words." : "");
    };
    if (present != items.begin() && !std::prev(present)->is_step())
        return text_of(*std::prev(present), true);
    if (std::next(present) != items.end() && !std::next(present)->is_step())
        return text_of(*std::next(present), false);
    return "";
}

void meaning(Frame& frame, ui::Layout& rect) {
    const ui::TextStyle style{.size = ui::Size::body};
    std::string text = meaning_of(frame, frame.node());
    const std::string passed = passed_layers_text(frame);
    frame.ui.report("passed_layers", passed);
    if (!passed.empty()) text += "\n\n" + passed;
    const float inner = rect.w - frame.px(2 * kInspectorPad);
    const ui::Rect inside = card(frame, rect, wrapped_height(frame, text, style, inner));
    wrapped_with_terms(frame, inside, text, style);
}

// The file whose samples the tokens belong to; null without samples.
const TokenFile* batch_of(const Frame& frame) {
    const auto* file = std::get_if<TokenFile>(&frame.recipe.tokens);
    return file != nullptr && file->array().samples > 1 ? file : nullptr;
}

// "# or torch.einsum(…)"; empty for steps without it, and for a head that is switched off.
std::string notation_comment(const Frame& frame) {
    const Notation notation = notation_of(frame.trace, frame.node());
    const bool usual = pytorch_of(frame) == frame.node().pytorch;
    return notation.exists() && usual ? "# or " + notation.other : "";
}

// "# [13, 4, 100, 16], sample 3"
std::string shape_comment(const Frame& frame) {
    const Tensor tensor = frame.node().result();
    if (!frame.trace.has(tensor)) return "";  // attention-only import: the line itself says it
    const std::string n = std::to_string(frame.trace.rows(tensor)),
                      c = std::to_string(frame.trace.cols(tensor));
    if (tensor == Tensor::curve) return "# [1, " + c + "]";
    if (tensor == Tensor::pixels)
        return "# [" + std::to_string(frame.trace.image->channels) + ", " + n + ", " +
               std::to_string(frame.trace.image->width) + "]";
    const TokenFile* batch = shared_by_samples(tensor) ? nullptr : batch_of(frame);
    const std::string samples = batch != nullptr ? std::to_string(batch->array().samples) : "1";
    const std::string heads =
        info(tensor).per_head ? std::to_string(frame.trace.shape.heads) + ", " : "";
    return "# [" + samples + ", " + heads + n + ", " + c + "]" +
           (batch != nullptr ? ", sample " + std::to_string(batch->sample + 1) : "");
}

void code(Frame& frame, ui::Layout& rect) {
    const ui::TextStyle style{.face = ui::Face::mono, .size = ui::Size::body};
    const std::string line = pytorch_of(frame), save = "Save as script";
    const bool saves = frame.state.look.numbers_open() && !frame.trace.model->is_maps();
    const float wide = saves ? ui::button_width(frame.ui, save) : 0;
    ui::Layout head(frame.ui, {rect.x, rect.y, rect.w, section_head_height(frame)});
    const std::string call = line.substr(0, line.find('(')) + "(…)";  // where the line does not fit
    const bool open = section_head(frame, rect, Section::code, "PYTORCH", line, wide,
                                   call.size() < line.size() ? call : "");
    if (wide > 0 &&
        ui::button(frame.ui, "pytorch.save", head.right(wide), save, ui::ButtonLook::outlined,
                   "Saves the walk as a Python script: every step's line of PyTorch,\ncompared "
                   "with the numbers shown here"))
        frame.say("export", "py");
    if (!open) return;
    const float inner = rect.w - frame.px(2 * kInspectorPad);
    const std::string shape = shape_comment(frame);
    const float height = wrapped_height(frame, line, style, inner);
    const std::string other = notation_comment(frame);
    const float below = other.empty() ? 0 : wrapped_height(frame, other, style, inner);
    ui::Layout inside =
        card(frame, rect, height + below + (shape.empty() ? 0 : frame.line(ui::Size::body)));
    ui::Canvas canvas(frame.ui);
    canvas.wrapped(inside.top(height), line, style);
    ui::TextStyle comment = style;
    comment.color = frame.colors().dim;
    if (below > 0) canvas.wrapped(inside.top(below), other, comment);
    frame.ui.report("pytorch.notation", other);
    canvas.label(inside, shape, comment);
    frame.ui.report("pytorch.shape", shape);
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

// The number of learned parameters in the step; empty if it has none.
std::string weights_text(const Frame& frame) {
    for (const Tensor operand : frame.node().operands) {
        if (info(operand).role != Role::weight) continue;
        const Index rows = frame.trace.rows(operand), cols = frame.trace.cols(operand);
        return std::to_string(rows) + " × " + std::to_string(cols) + " = " +
               std::to_string(rows * cols);
    }
    return "";
}

// "13.1 MFLOP"
std::string amount_text(double amount, std::string_view unit) {
    constexpr std::array<std::string_view, 5> prefixes{"", "k", "M", "G", "T"};
    std::size_t power = 0;
    for (; amount >= 1000 && power + 1 < prefixes.size(); ++power) amount /= 1000;
    const std::string number =
        power == 0 ? std::to_string(std::lround(amount)) : ui::number(amount, 3);
    return number + " " + std::string(prefixes[power]) + std::string(unit);
}

// The computational cost of the step, besides its measured time.
std::vector<Fact> cost_facts(const Frame& frame) {
    const Node& node = frame.node();
    const Cost cost = cost_of(frame.trace, node);
    std::vector<Fact> facts;
    if (cost.operations > 0) {
        facts.push_back({"computes", amount_text(cost.operations, "FLOP")});
        facts.push_back({"with 2 N tokens", "× " + std::to_string(cost.when_doubled)});
    }
    if (cost.read + cost.written > 0)
        facts.push_back(
            {"reads, writes", amount_text(cost.read, "B") + ", " + amount_text(cost.written, "B")});
    const double took = frame.trace.milliseconds[static_cast<std::size_t>(node.id)];
    if (took > 0) facts.push_back({"took", ui::number(took, 3) + " ms"});
    return facts;
}

std::vector<Fact> facts_about(Frame& frame, const MatrixSummary& summary, Tensor tensor) {
    const Statistics& s = summary.statistics;
    std::vector<Fact> facts{{"range", range_text(s)}, {"mean ± sd", mean_text(s)}};
    if (tensor == Tensor::attention && !frame.difference()) {
        facts.push_back({"row sums", ui::number(summary.sums.min, 6) + " … " +
                                         ui::number(summary.sums.max, 6)});
        facts.push_back({"mean entropy",
                         ui::number(summary.entropy, 2) + " of " +
                             ui::number(std::log2(static_cast<double>(frame.trace.shape.keys)), 2) +
                             " bits"});
    }
    if (s.nan > 0) facts.push_back({"NaN cells", std::to_string(s.nan)});
    if (s.infinite > 0) facts.push_back({"infinite cells", std::to_string(s.infinite)});
    if (std::string error = reference_error(frame, frame.step()); !error.empty())
        facts.push_back({"difference from the reference", std::move(error)});
    if (const std::string weights = weights_text(frame); !weights.empty())
        facts.push_back({"weights", weights});
    if (!frame.difference())
        for (Fact& fact : cost_facts(frame)) facts.push_back(std::move(fact));
    const auto& before = frame.work.pinned_summary();
    if (before) {
        if (const MatrixSummary* a = before->find(tensor, frame.head);
            a != nullptr && frame.state.look.compare == Compare::after) {
            facts.push_back({"range before", range_text(a->statistics)});
            facts.push_back({"mean ± sd before", mean_text(a->statistics)});
        }
    }
    return facts;
}

void histogram_bars(Frame& frame, const ui::Rect& rect, const MatrixSummary& summary) {
    std::vector<ui::Bar> bars;
    for (const Index count : summary.bins)
        bars.push_back({static_cast<float>(count),
                        ui::mix(frame.colors().hue(ui::Hue::key), frame.colors().card, 0.35F)});
    const int hovered = ui::bars(frame.ui, "inspector.histogram", rect, bars, std::nullopt);
    if (hovered < 0) return;
    const Statistics& s = summary.statistics;
    const float width = (s.max - s.min) / static_cast<float>(summary.bins.size());
    const float from = s.min + width * static_cast<float>(hovered);
    frame.ui.tooltip(counted(summary.bins[static_cast<std::size_t>(hovered)], "cell") + " from " +
                     ui::number(from) + " to " + ui::number(from + width));
}

const ui::TextStyle kFactStyle{.face = ui::Face::mono, .align = ui::Align::right};

// A value that is too long beside its name has a line of its own.
bool fits_beside(const ui::Canvas& canvas, const Fact& fact, float room) {
    return canvas.measure(fact.what, {}) + canvas.measure(" " + fact.value, kFactStyle) <= room;
}

float facts_height(Frame& frame, const std::vector<Fact>& facts, float width) {
    const ui::Canvas canvas(frame.ui);
    float lines = 0;
    for (const Fact& fact : facts) lines += fits_beside(canvas, fact, width) ? 1.0F : 2.0F;
    return lines * frame.line(ui::Size::body);
}

void draw_facts(Frame& frame, ui::Layout rect, const std::vector<Fact>& facts) {
    ui::Canvas canvas(frame.ui);
    for (const Fact& fact : facts) {
        ui::Rect row = rect.row(ui::Size::body);
        canvas.label(row, fact.what, {.color = frame.colors().dim});
        if (!fits_beside(canvas, fact, row.w)) row = rect.top(row.h);
        canvas.label(row, fact.value, kFactStyle);
        frame.ui.report("numbers." + fact.what, fact.value);
    }
}

void numbers(Frame& frame, ui::Layout& rect) {
    const Tensor tensor = frame.node().result();
    const Shown what = shown(frame, tensor, frame.head);
    if (what.comparable && what.summary == nullptr) return;
    ui::Canvas canvas(frame.ui);
    const std::string summary = what.comparable ? range_text(what.summary->statistics) : "";
    ui::Layout head(frame.ui, {rect.x, rect.y, rect.w, section_head_height(frame)});
    const bool drawn_out = is_open(frame, Section::numbers);
    const float wide = drawn_out ? ui::button_width(frame.ui, "Reference…") : 0;
    const bool open = section_head(frame, rect, Section::numbers, "NUMBERS", summary, wide);
    if (open &&
        ui::button(frame.ui, "numbers.reference", head.right(wide), "Reference…",
                   ui::ButtonLook::outlined,
                   "Opens numbers from another program, such as PyTorch's output in an .npz,\nand "
                   "compares every step with them"))
        frame.say("show", "reference");
    if (!open) return;
    if (!what.comparable) {
        const ui::TextStyle style{.size = ui::Size::body, .color = frame.colors().dim};
        const std::string_view text =
            "There is no difference, because “before” had no matrix of this shape here.";
        const float inner = rect.w - frame.px(2 * kInspectorPad);
        const ui::Rect inside = card(frame, rect, wrapped_height(frame, text, style, inner));
        canvas.wrapped(inside, text, style);
        return;
    }
    const auto facts = facts_about(frame, *what.summary, tensor);
    const float words = facts_height(frame, facts, rect.w - frame.px(2 * kInspectorPad));
    const float bars = frame.px(64), edge = frame.line();
    const float gradient = frame.trace.model ? gradient_choice_height(frame) + frame.px(8) : 0;
    ui::Layout inside = card(frame, rect,
                             words + frame.px(8) + bars + edge + frame.px(12) +
                                 ui::color_bar_height(frame.ui) + gradient);
    if (gradient > 0) gradient_choice(frame, inside.top(gradient));
    draw_facts(frame, inside.top(words, 8), facts);
    histogram_bars(frame, inside.top(bars), *what.summary);
    const ui::Rect ends = inside.top(edge, 12);
    const ui::TextStyle mono = frame.mono_dim();
    ui::TextStyle right = mono;
    right.align = ui::Align::right;
    canvas.label(ends, ui::number(what.summary->statistics.min), mono);
    canvas.label(ends, ui::number(what.summary->statistics.max), right);
    ui::color_bar(frame.ui, inside, what.scale, "colors");
}

}  // namespace

std::string batch_text(const Frame& frame) {
    if (batch_of(frame) == nullptr || shared_by_samples(frame.node().result())) return "";
    const std::string comment = shape_comment(frame);
    return comment.empty() ? "" : comment.substr(2);
}

void inspector(Frame& frame, const ui::Rect& rect) {
    ui::begin_child("inspector.scroll", rect,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    frame.ui.begin_stops();
    const ImVec2 top = ImGui::GetCursorScreenPos();
    // As tall as needed; the child window scrolls.
    ui::Layout rest(frame.ui, {top.x, top.y, rect.w - frame.px(12), 1e6F});
    const Node& step = frame.node();
    const std::vector<Step>& steps = frame.work.steps();
    const auto number = std::find(steps.begin(), steps.end(), step.id) - steps.begin() + 1;
    std::string title = step.title;
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
    ui::Canvas(frame.ui).caption(rest.row(0, 6), "STEP " + std::to_string(number) + " OF " +
                                                     std::to_string(steps.size()) + " · " + title);
    meaning(frame, rest);
    if (!frame.state.look.lecture) {
        code(frame, rest);
        prediction(frame, rest);
        // In a low window one line of them stays visible.
        if (frame.low) numbers(frame, rest);
        experiment(frame, rest);
        if (!frame.low) numbers(frame, rest);
        reference(frame, rest);
    }
    frame.ui.end_stops();
    ImGui::SetCursorScreenPos({top.x, rest.y});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

}  // namespace headlight::screens

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "state/reference_study.h"
#include "walk/panels.h"
#include "walk/sections.h"

// The error of each step relative to another program's numbers.
namespace headlight::screens {

namespace {

constexpr double kUsualTolerance = 1e-5;  // the same as in headlight compare

struct ReferenceLine {
    const Node& node;
    HeldResults held;  // worst first
};

std::vector<ReferenceLine> lines_of(const Frame& frame, const HeldResults& all) {
    std::vector<ReferenceLine> lines;
    for (const Node& node : frame.trace.nodes)
        if (HeldResults held = held_of_step(all, node.id); !held.empty())
            lines.push_back({node, std::move(held)});
    return lines;
}

std::string error_text(const HeldResult& held) {
    if (!held.why_not.empty()) return "not compared";
    return held.deviation.relative == 0 ? "0" : fmt::format("{:.1e}", held.deviation.relative);
}

bool is_off(const HeldResult& held) {
    return !held.why_not.empty() || !(held.deviation.relative <= kUsualTolerance);
}

// All details about a step's results.
std::string tip(const ReferenceLine& line) {
    std::string text = "Largest error divided by the largest value";
    for (const HeldResult& held : line.held) {
        text += "\n" + held.name;
        if (held.other != held.name) text += " (in the file: " + held.other.substr(0, 40) + ")";
        text += held.why_not.empty() ? fmt::format(": {:.2e}, largest error {:.2e}, norm {:.2e}",
                                                   held.deviation.relative, held.deviation.largest,
                                                   held.deviation.norm)
                                     : ": " + held.why_not;
    }
    return text;
}

void draw_line(Frame& frame, const ui::Rect& row, const ReferenceLine& line) {
    const std::string name = "reference." + std::string(line.node.name());
    const auto state = ui::interact(frame.ui, name, row);
    ui::Canvas canvas(frame.ui);
    const bool present = line.node.id == frame.step();
    if (state.hovered) {
        canvas.fill(row.inset(-frame.px(4), 0), frame.colors().hover, frame.px(4));
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        frame.ui.tooltip(tip(line));
    }
    const HeldResult& worst = line.held.front();
    const ui::TextStyle mono{.face = ui::Face::mono,
                             .size = ui::Size::body,
                             .color = is_off(worst) ? frame.colors().error : frame.colors().text,
                             .align = ui::Align::right};
    const std::string error = error_text(worst);
    ui::Layout rest(frame.ui, row);
    rest.words_right(error, mono, 8);
    canvas.label(
        rest, line.node.title,
        {.size = ui::Size::body, .color = present ? frame.colors().accent : frame.colors().dim});
    frame.ui.report(name, error);
    if (state.clicked) frame.say("step", std::string(line.node.name()));
}

std::string file_name(const Frame& frame) {
    return std::filesystem::path(frame.state.reference).filename().string();
}

// Replaces the numbers: an error, or that they are being computed.
void draw_words(Frame& frame, ui::Layout& rect, const std::string& words, bool wrong) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.size = ui::Size::body,
                              .color = wrong ? frame.colors().error : frame.colors().dim};
    const float pad = frame.px(12);
    const float tall = canvas.measure_wrapped(words, style, rect.w - 2 * pad).y;
    const ui::Rect whole = rect.top(tall + 2 * pad);
    canvas.card(whole, frame.colors().card);
    canvas.wrapped(whole.inset(pad), words, style);
    frame.ui.report("reference.words", words);
}

void draw_lines(Frame& frame, ui::Layout& rect, const std::vector<ReferenceLine>& lines) {
    const float pad = frame.px(12), line = frame.line(ui::Size::body);
    const ui::Rect whole =
        rect.top(static_cast<float>(lines.size()) * line + 2 * pad + frame.line());
    ui::Canvas(frame.ui).card(whole, frame.colors().card);
    ui::Layout inside(frame.ui, whole.inset(pad));
    ui::Canvas(frame.ui).label(
        inside.row(), "largest error / largest value, vs. " + file_name(frame), frame.small_dim());
    for (const ReferenceLine& each : lines) draw_line(frame, inside.top(line), each);
}

}  // namespace

namespace {

// The worst of a step; empty without a reference, or if it has nothing for the step.
std::optional<HeldResult> worst_of_step(const Frame& frame, Step step) {
    const auto* said = frame.work.reference();
    if (said == nullptr || frame.before() || frame.difference()) return {};
    const HeldResults held = held_of_step(said->answer, step);
    return held.empty() ? std::nullopt : std::optional(held.front());
}

}  // namespace

std::string reference_error(const Frame& frame, Step step) {
    const auto worst = worst_of_step(frame, step);
    return worst ? error_text(*worst) : "";
}

bool is_off_reference(const Frame& frame, Step step) {
    const auto worst = worst_of_step(frame, step);
    return worst && is_off(*worst);
}

void reference(Frame& frame, ui::Layout& rect) {
    if (frame.state.reference.empty() || frame.before() || frame.difference()) return;
    const auto* said = frame.work.reference();
    const HeldResult* worst = said != nullptr ? worst_of(said->answer) : nullptr;
    ui::Layout head(frame.ui, {rect.x, rect.y, rect.w, section_head_height(frame)});
    const bool open = section_head(frame, rect, Section::reference, "REFERENCE",
                                   worst != nullptr ? error_text(*worst) : "", head.h);
    if (ui::button(frame.ui, "reference.close", head.right(head.h), "", ui::ButtonLook::plain,
                   "Stops comparing", ui::Icon::close))
        frame.say("reference");
    if (!open) return;
    if (said == nullptr)
        draw_words(frame, rect, "Comparing with " + file_name(frame) + "…", false);
    else if (!said->error.empty())
        draw_words(frame, rect, said->error, true);
    else
        draw_lines(frame, rect, lines_of(frame, said->answer));
    rect.skip_top(10);
}

}  // namespace headlight::screens

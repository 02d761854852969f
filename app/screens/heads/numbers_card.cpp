#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "encoder/run_scene.h"
#include "frame/capitals.h"
#include "heads/order.h"
#include "kernels/counted.h"

// The numbers of the hovered or selected head: first for the query, then over all queries.
namespace headlight::screens {

namespace {

struct NumberLine {
    std::string label, value, tip;
    std::string of{};           // its class, before the value
    std::string brief_value{};  // in a narrow card, if the label does not fit otherwise
    std::string brief_label{};  // where the class would be cut otherwise
};

HeadEffect effect_on(const HeadPlace& place, const HeadEffects& effects) {
    return effects[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
}

std::string quoted_class(const Frame& frame) {
    return "“" + class_name(*frame.trace.model, *class_asked(frame)) + "”";
}

// "“espresso”, the predicted class"
std::string class_words(const Frame& frame) {
    return quoted_class(frame) +
           (is_class_chosen(frame) ? ", the chosen class" : ", the predicted class");
}

// The effect on the class, as a line of the card.
NumberLine effect_line(const Frame& frame, const std::string& label, const std::string& brief,
                       const HeadEffect& effect, const std::string& how) {
    return {label,
            change_text(effect.probability),
            fmt::format("Change in the probability of {}, {}. Its logit changes by {:+.3f}.",
                        class_words(frame), how, effect.logit),
            quoted_class(frame),
            {},
            brief};
}

NumberLine turn_line(const std::string& label, double turn, const std::string& how) {
    return {label, "1 − cos " + ui::number(turn, 3),
            "How much the direction of the model's output changes " + how +
                ": 1 minus the cosine between the two outputs. 0: no change."};
}

void add_effects(const Frame& frame, const HeadsView& view, std::vector<NumberLine>& lines) {
    const std::string zero = "with this head's output set to zero",
                      mean = "with this head's output replaced by its mean over all tokens";
    if (const auto* found = answer_of(view.effects)) {
        lines.push_back(
            effect_line(frame, "switched off", "off", effect_on(view.shown, found->off), zero));
        lines.push_back(effect_line(frame, "set to its mean", "mean",
                                    effect_on(view.shown, found->level), mean));
    } else if (const auto* turns = answer_of(view.turns)) {
        const auto b = static_cast<std::size_t>(view.shown.layer),
                   h = static_cast<std::size_t>(view.shown.head);
        lines.push_back(turn_line("switched off", turns->off[b][h], zero));
        lines.push_back(turn_line("set to its mean", turns->level[b][h], mean));
    }
}

const HeadTile* tile_of(const HeadsView& view) {
    const auto found = std::ranges::find(view.tiles, view.shown, &HeadTile::place);
    return found == view.tiles.end() ? nullptr : &*found;
}

// For the measure that orders the maps.
std::optional<NumberLine> line_of_order(const Frame& frame, const HeadsView& view) {
    const auto ordered = measure_of(view.order);
    const HeadTile* tile = tile_of(view);
    if (!ordered || info(*ordered).card.empty() || !tile || !tile->number) return std::nullopt;
    const HeadMeasureInfo& row = info(*ordered);
    if (!row.of_class)
        return NumberLine{
            std::string(row.card),
            ui::number(*tile->number, 3) + (row.unit.empty() ? "" : " ") + std::string(row.unit),
            std::string(row.card_tip)};
    return NumberLine{
        std::string(row.card),
        fmt::format("{:+.3f}", *tile->number),
        fmt::format(fmt::runtime(row.card_tip), fmt::arg("class", class_words(frame))),
        quoted_class(frame),
        {},
        std::string(row.card_brief)};
}

// The lines that belong to the chosen order or mass.
std::vector<NumberLine> asked_lines(const Frame& frame, const HeadsView& view) {
    std::vector<NumberLine> lines;
    if (is_wanted(frame, HeadMeasure::importance)) add_effects(frame, view, lines);
    const auto of_order = line_of_order(frame, view);
    const bool after_patching = view.order == order_by(HeadMeasure::contribution);
    if (of_order && !after_patching) lines.push_back(*of_order);
    if (const auto* patched = answer_of(view.patches);
        is_wanted(frame, HeadMeasure::patching) && patched)
        lines.push_back(effect_line(frame, "patched from the baseline", "patched",
                                    effect_on(view.shown, *patched),
                                    "with this head's output taken from the baseline"));
    if (of_order && after_patching) lines.push_back(*of_order);
    for (const HeadMeasureInfo& row : all_head_measures())
        if (row.of_region && is_possible(frame, row.id) && !view.together())
            if (const auto share = number_of(frame, view, view.shown, row.id))
                lines.push_back(
                    {std::string(row.label), ui::number(*share, 3), std::string(row.help)});
    if (const Index count = view.masses == nullptr ? 0 : patches_shown(view, view.shown); count > 0)
        lines.push_back({fmt::format("{:g} % lies in", frame.state.look.heads_mass),
                         counted(count, "patch"),
                         "The smallest set of patches that holds this share of the token's "
                         "attention to patches."});
    return lines;
}

std::vector<NumberLine> lines_over_all_queries(const Frame& frame, const HeadsView& view) {
    const HeadNumbers& numbers = numbers_of(frame, view.shown);
    const double stride = grid_of(frame, view.shown.layer).settings.stride;
    std::vector<NumberLine> lines;
    for (const HeadMeasureInfo& measure : run_measures()) {
        if (!measure.is_possible(*frame.trace.model, frame.trace.layout)) continue;
        const double number = numbers[measure.id];
        NumberLine line{std::string(measure.label), ui::number(number, 3),
                        std::string(measure.help)};
        if (measure.unit == kPixels) {
            line.tip += " " + line.value + " pixels.";
            line.brief_value = ui::number(number / stride, 3);
            line.value = line.brief_value + " patches";
        } else if (!measure.unit.empty()) {
            line.brief_value = line.value;
            line.value += " " + std::string(measure.unit);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

void draw_line(Frame& frame, ui::Layout& inside, const NumberLine& line) {
    frame.ui.report("heads.number." + line.label, line.value);
    if (!line.of.empty()) frame.ui.report("heads.number." + line.label + ".of", line.of);
    ui::Canvas canvas(frame.ui);
    const ui::Rect row = inside.row();
    const ui::TextStyle value{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    ui::Layout words(frame.ui, row);
    const ui::TextStyle label = frame.small_dim();
    const float left = row.w - canvas.measure(line.label, label) - frame.px(4);
    const std::string shown =
        line.brief_value.empty()
            ? line.value
            : first_that_fits(canvas, {line.value, line.brief_value}, value, left);
    words.words_right(shown, value, 3);
    std::string name = line.label;
    if (!line.of.empty()) {
        words.skip_right(6);
        const ui::TextStyle of{.size = ui::Size::small, .align = ui::Align::right};
        const float wide = canvas.measure(line.of, of) + 1;
        const auto rest = [&] { return words.w - canvas.measure(name, label) - frame.px(8); };
        if (rest() < wide) name = line.brief_label;
        if (rest() > frame.px(24)) canvas.label(words.right(std::min(rest(), wide)), line.of, of);
    }
    // "class token" instead of "on the class token"
    const auto without = [&](std::string_view start) {
        return name.starts_with(start) ? name.substr(start.size()) : name;
    };
    label_that_fits(canvas, words, {name, without("on "), without("on the ")}, label);
    if (!line.tip.empty() && row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(line.tip);
    inside.skip_top(2);
}

}  // namespace

float numbers_card_height(Frame& frame, const HeadsView& view) {
    const auto lines = static_cast<float>(asked_lines(frame, view).size() +
                                          lines_over_all_queries(frame, view).size());
    return lines * (frame.line() + frame.px(2)) + frame.line() * 2 + frame.px(28);
}

void numbers_card(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    ui::Layout inside = card(frame, rect, capitals(name_of_head(frame, view.shown)));
    for (const NumberLine& line : asked_lines(frame, view)) draw_line(frame, inside, line);
    caption_that_fits(frame.ui, inside.row(0, 2), {"OVER ALL QUERIES", "ALL QUERIES"});
    for (const NumberLine& line : lines_over_all_queries(frame, view))
        draw_line(frame, inside, line);
}

}  // namespace headlight::screens

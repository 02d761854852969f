#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/rollout.h"
#include "frame/field_row.h"
#include "heads/asked.h"
#include "heads/class_choice.h"
#include "heads/flow.h"
#include "heads/hues.h"
#include "heads/memory.h"
#include "heads/order.h"
#include "heads/region.h"
#include "state/fields.h"
#include "ui/progress_bar.h"

// The controls above the maps, in as many rows as they need.
namespace headlight::screens {

namespace {

std::string_view words_of(HeadOrder order) {
    if (const auto measure = measure_of(order)) return info(*measure).order;
    return order == HeadOrder::groups ? "in groups" : "by layer";
}

// The orders that are available.
std::vector<HeadOrder> possible_orders(const Frame& frame) {
    std::vector<HeadOrder> orders;
    for (std::size_t i = 0; i < kNames<HeadOrder>.size(); ++i)
        if (const auto order = static_cast<HeadOrder>(i); is_possible(frame, order))
            orders.push_back(order);
    return orders;
}

void order_choice(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    const std::vector<HeadOrder> orders = possible_orders(frame);
    DropDown list{.name = "heads.order", .options = {}};
    for (const HeadOrder order : orders) {
        if (order == view.order) list.selected = static_cast<int>(list.options.size());
        list.options.push_back(words_of(order));
    }
    if (view.order == order_by(HeadMeasure::patching))
        list.tip =
            "Takes one part from the baseline and shows how the prediction changes. The part is a "
            "head's output, a token after a layer, or a layer's output.";
    const int chosen = drop_down(frame, flow, list);
    if (chosen >= 0) frame.set("heads_order", order_name(orders[static_cast<std::size_t>(chosen)]));
}

// A number with a slider and a text field.
void number_slider(Frame& frame, ui::Flow& flow, std::string_view field, const std::string& name,
                   std::string_view label, std::string_view unit_words, std::string_view tip) {
    ui::Canvas canvas(frame.ui);
    const float scale = frame.ui.text_scale(), number = frame.px(48) * scale,
                words = canvas.measure(label, {}) + frame.px(8),
                unit = canvas.measure(unit_words, {}) + frame.px(10);
    ui::Layout place = flow.take(words + frame.px(70) * scale + number + unit);
    if (place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(std::string(tip));
    canvas.label(place.left(words), label, {});
    ui::Layout box(frame.ui, place);
    canvas.outline(box.right(number + unit).inset(0, frame.px(2)), frame.colors().border, 1,
                   frame.px(6));
    canvas.label(place.right(unit), unit_words, {.color = frame.colors().dim});
    field_slider(frame, *find_field(field), name, place.inset(0, frame.px(3)), number);
}

// How much of each map is shown, and how many of the largest cells are clipped.
void part_choices(Frame& frame, ui::Flow& flow) {
    number_slider(
        frame, flow, "heads_mass", "heads.mass", "mass", "%",
        "Shows the smallest set of patches that holds this share of the attention. 100 shows all.");
    number_slider(frame, flow, "attention_cut", "heads.cut", "cut", "%",
                  find_field("attention_cut")->help);
}

// The correlation from which groups merge.
void alike_choice(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    if (view.order == HeadOrder::groups)
        number_slider(frame, flow, "heads_alike", "heads.alike", "r ≥", "",
                      find_field("heads_alike")->help);
}

// ---- filter

std::vector<HeadMeasure> filter_measures(const Frame& frame) {
    std::vector<HeadMeasure> measures;
    for (const HeadMeasureInfo& measure : all_head_measures())
        if (is_possible(frame, measure.id)) measures.push_back(measure.id);
    return measures;
}

// All heads' values, ascending; unknown ones are left out.
std::vector<double> numbers_in_order(const Frame& frame, const HeadsView& view, HeadMeasure by) {
    std::vector<double> numbers;
    for (const HeadTile& tile : view.tiles)
        if (const auto number = number_of(frame, view, tile.place, by);
            number && std::isfinite(*number))
            numbers.push_back(*number);
    std::ranges::sort(numbers);
    return numbers;
}

// Starts with half of the heads on each side, so that the bound has a visible effect.
void filter_in_the_middle(Frame& frame, const HeadsView& view, HeadFilter which, HeadMeasure by) {
    const std::vector<double> numbers = numbers_in_order(frame, view, by);
    const std::size_t half = numbers.size() / 2;
    const double middle = half == 0 ? 0 : (numbers[half - 1] + numbers[half]) / 2;
    frame.say("filter-heads", std::string(name_of(which)), std::string(name_of(by)),
              fmt::format("{:.4g}", middle));
}

void bound_slider(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    const Look& look = frame.state.look;
    const std::vector<double> numbers = numbers_in_order(frame, view, look.heads_filter_by);
    if (numbers.empty() || numbers.front() == numbers.back()) return;
    double bound = look.heads_bound;
    const std::string text = fmt::format("{:.4g}", bound),
                      unit = " " + std::string(unit_of(frame, look.heads_filter_by));
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    ui::Canvas canvas(frame.ui);
    const float words = canvas.measure("-0.0000" + unit, mono);
    ui::Layout place = flow.take(frame.px(130) * frame.ui.text_scale() + words);
    canvas.label(place.right(words, 8), text + unit, mono);
    const auto slid =
        ui::slider(frame.ui, "heads.bound", place, bound, numbers.front(), numbers.back(), false);
    if (const std::string next = fmt::format("{:.4g}", bound); slid.changed && next != text)
        frame.set("heads_bound", next);
    if (slid.released) frame.memory.gesture_ended = true;
}

void filter_choice(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    const Look& look = frame.state.look;
    const int chosen = drop_down(frame, flow,
                                 {.name = "heads.filter",
                                  .options = {"all heads", "at least", "at most"},
                                  .selected = static_cast<int>(look.heads_filter),
                                  .tip = "Hides heads whose measure, such as entropy, is below or "
                                         "above a bound. In the order by layer, dims them "
                                         "instead."});
    const auto which = static_cast<HeadFilter>(chosen);
    if (chosen > 0 && look.heads_filter == HeadFilter::all)
        filter_in_the_middle(frame, view, which, look.heads_filter_by);
    else if (chosen >= 0)
        frame.set("heads_filter", std::string(name_of(which)));
    if (look.heads_filter == HeadFilter::all) return;
    const std::vector<HeadMeasure> measures = filter_measures(frame);
    DropDown list{.name = "heads.filter.by", .options = {}};
    for (const HeadMeasure measure : measures) {
        if (measure == look.heads_filter_by) list.selected = static_cast<int>(list.options.size());
        list.options.push_back(info(measure).order);
    }
    if (const int by = drop_down(frame, flow, list); by >= 0)
        filter_in_the_middle(frame, view, look.heads_filter,
                             measures[static_cast<std::size_t>(by)]);
    bound_slider(frame, flow, view);
}

// Interpolation between patch centers, and contour lines.
void drawing_choice(Frame& frame, ui::Flow& flow) {
    const Look& look = frame.state.look;
    int chosen = buttons(frame, flow, "heads.smooth", {"squares", "smooth"},
                         look.heads_smooth ? 1 : 0, find_field("heads_smooth")->help);
    if (chosen >= 0) frame.set("heads_smooth", chosen == 1 ? "true" : "false");
    chosen = buttons(frame, flow, "heads.contours", {"contours"}, look.heads_contours ? 0 : -1,
                     find_field("heads_contours")->help);
    if (chosen >= 0) frame.set("heads_contours", look.heads_contours ? "false" : "true");
}

void combined_choice(Frame& frame, ui::Flow& flow) {
    const int chosen = drop_down(
        frame, flow,
        {.name = "heads.combined",
         .options = {"each head", "and the mean", "and the largest", "and the smallest",
                     "heads in hues"},
         .selected = static_cast<int>(frame.state.look.heads_combined),
         .words = {"each head", "+ mean", "+ largest", "+ smallest", "+ in hues"},
         .tip =
             "Adds combined maps beside each layer and below each head.\nIn hues: one picture for "
             "each layer, in which each patch has the hue of the head that attends to it most."});
    if (chosen >= 0)
        frame.set("heads_combined", std::string(name_of(static_cast<Combined>(chosen))));
}

template <class Enum>
void set_named(Frame& frame, std::string_view field, int chosen) {
    if (chosen >= 0) frame.set(field, std::string(name_of(static_cast<Enum>(chosen))));
}

// The settings of the rollout, if it is shown.
void rollout_settings(Frame& frame, ui::Flow& flow, const RolloutSettings& settings) {
    constexpr std::array kShares{0.0, 0.5, 0.9};
    DropDown list{.name = "heads.rollout.discard",
                  .options = {},
                  .tip = "How many of each layer's smallest weights the rollout discards"};
    std::vector<std::string> words;
    for (const double share : kShares) {
        if (share == settings.discard_ratio) list.selected = static_cast<int>(words.size());
        words.push_back(share == 0 ? "all weights"
                                   : fmt::format("without the lowest {:g} %", share * 100));
    }
    if (list.selected < 0) {
        list.selected = static_cast<int>(words.size());
        words.push_back(fmt::format("without the lowest {:g} %", settings.discard_ratio * 100));
    }
    list.options.assign(words.begin(), words.end());
    const int share = drop_down(frame, flow, list);
    if (share >= 0 && share < static_cast<int>(kShares.size()))
        frame.set("rollout_discard", fmt::format("{:g}", kShares[static_cast<std::size_t>(share)]));
    set_named<RolloutNormalisation>(
        frame, "rollout_norm",
        buttons(frame, flow, "heads.rollout.normalised", {"rows", "as vit-explain"},
                static_cast<int>(settings.normalisation), find_field("rollout_norm")->help));
}

// Rollout: the attention of all layers, multiplied from the last to the first.
void rollout_choice(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    if (view.difference || frame.trace.model->has_merges()) return;
    const auto& settings = frame.recipe.rollout;
    const int chosen = drop_down(
        frame, flow,
        {.name = "heads.rollout",
         .options = {"no rollout", "of the heads' mean", "of their largest", "of their smallest"},
         .selected = settings ? static_cast<int>(settings->fusion) + 1 : 0,
         .words = {"no rollout", "+ rollout, mean", "+ rollout, max", "+ rollout, min"},
         .tip = find_field("rollout")->help});
    if (chosen == 0) frame.set("rollout", "off");
    if (chosen > 0) set_named<HeadFusion>(frame, "rollout", chosen - 1);
    if (settings) rollout_settings(frame, flow, *settings);
}

// A class map beside the maps of the heads.
void class_map_choice(Frame& frame, ui::Flow& flow) {
    const Counterfactual change = counterfactual_of(frame.recipe, *frame.trace.model);
    const std::optional<MapMethod> present = frame.state.look.heads_class_map;
    std::vector<std::string_view> names{"none"};
    DropDown list{.name = "heads.class_map",
                  .options = {"no class map"},
                  .selected = 0,
                  .words = {"no class map"},
                  .tip = "Adds a map of what the chosen class depends on, from its gradient"};
    for (const MapMethodInfo& method : all_map_methods()) {
        // The rollout has its own control.
        const bool is_present = method.id == present;
        if (!(asks_for_class(method.id) || is_present) ||
            !is_possible(method.id, frame.trace, change))
            continue;
        if (is_present) list.selected = static_cast<int>(names.size());
        names.push_back(name_of(method.id));
        list.options.push_back(method.title);
        list.words.push_back("+ " + std::string(method.title));
    }
    if (names.size() < 2) return;
    const int chosen = drop_down(frame, flow, list);
    if (chosen >= 0)
        frame.set("heads_class_map", std::string(names[static_cast<std::size_t>(chosen)]));
}

std::string why_no_difference(const HeadsView& view) {
    if (!view.has_other_class_map) return "Only one of the two results has this class map.";
    if (!view.other_class_map) return "";  // being computed
    const std::string& error = view.other_class_map->error;
    return error.empty() ? "The class maps of the two results have different patches." : error;
}

// Why it is missing or blank: refused, on other patches than the maps, in one result only, or zero.
std::string why_no_class_map(const Frame& frame, const HeadsView& view) {
    if (!view.class_map) return "";
    if (!view.class_map->error.empty()) return view.class_map->error;
    const ClassMap& map = view.class_map->answer;
    const PatchGrid& shown = frame.trace.grid;
    if (map.grid.rows != shown.rows || map.grid.cols != shown.cols)
        return fmt::format("The class map has {} × {} patches. Choose a layer with the same grid.",
                           map.grid.rows, map.grid.cols);
    if (view.difference && !view.shows_class_map()) return why_no_difference(view);
    const bool blank = !view.difference && view.shows_class_map() && map.is_zero();
    return blank ? "The class map is zero everywhere. Try another method or class." : "";
}

void class_map_note(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    const std::string note = why_no_class_map(frame, view);
    frame.ui.report("heads.class_map.note", note);
    if (note.empty()) return;
    const ui::TextStyle style = frame.small_dim();
    ui::Canvas canvas(frame.ui);
    canvas.label(flow.take(canvas.measure(note, style)), note, style);
}

// A card that tests the class map.
void curves_choice(Frame& frame, ui::Flow& flow) {
    const bool on = frame.state.look.heads_curves;
    if (!class_asked(frame) || !(on || frame.state.look.heads_tools)) return;
    if (buttons(frame, flow, "heads.curves", {"deletion and insertion"}, on ? 0 : -1,
                find_field("heads_curves")->help) >= 0)
        frame.set("heads_curves", on ? "false" : "true");
}

// Names the token of the maps, if it is not a patch.
void special_tokens(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    const TokenLayout& layout = frame.trace.layout;
    const auto count = static_cast<int>(layout.prefix());
    if (count == 0) return;
    std::vector<std::string> names;
    for (int t = 0; t < count; ++t) names.push_back(token_name(layout, t));
    const std::vector<std::string_view> labels(names.begin(), names.end());
    const int chosen = buttons(frame, flow, "heads.token", labels,
                               view.token < count ? static_cast<int>(view.token) : -1);
    if (chosen < 0) return;
    frame.say(ImGui::GetIO().KeyShift ? "query" : "focus", std::to_string(chosen));
}

void range_choice(Frame& frame, ui::Flow& flow) {
    const bool shared = frame.state.look.range == RangeMode::shared;
    const int chosen = buttons(frame, flow, "heads.range", {"shared range", "own"}, shared ? 0 : 1);
    if (chosen >= 0) frame.set("range", chosen == 0 ? "shared" : "own");
}

void scale_choice(Frame& frame, ui::Flow& flow) {
    const auto scale = static_cast<int>(frame.state.look.attention_scale);
    const int chosen = buttons(frame, flow, "heads.scale", {"linear", "√", "log", "times even"},
                               scale, find_field("attention_scale")->help);
    if (chosen >= 0)
        frame.set("attention_scale", std::string(name_of(static_cast<AttentionScale>(chosen))));
}

// How to add queries, and the current ones.
void queries(Frame& frame, ui::Flow& flow, const HeadsView& view, HeadsMemory& memory) {
    std::string names;
    for (std::size_t q = 0; q < view.tokens.size(); ++q) {
        names += (q == 0 ? "" : ", ") + token_name(frame.trace.layout, view.tokens[q]);
        if (view.tokens.size() > 1)
            query_chip(frame, flow.take(query_chip_width(frame, view, q)), view, memory, q);
    }
    frame.ui.report("heads.queries", names);
}

void query_hint(Frame& frame, const ui::Flow& flow) {
    ui::Canvas canvas(frame.ui);
    const std::string words = "Shift-click a patch to add a query";
    const ui::TextStyle style = frame.small_dim();
    const ui::Rect place = flow.rest();
    if (canvas.measure(words, style) > place.w) return;
    canvas.label(place, words, style);
    if (place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(
            "Shift-click a patch, the class token or a register, or press Q over it, to add it as "
            "a query with its own hue. Do it again to remove it.");
}

// Saving this result as baseline, and what to show beside a baseline.
void comparison(Frame& frame, ui::Flow& flow) {
    const auto button = [&](const char* name, std::string_view label, ui::Icon icon,
                            const char* tip) {
        const ui::Rect place = flow.take(ui::button_width(frame.ui, label, icon));
        return ui::button(frame.ui, name, place, label,
                          label.empty() ? ui::ButtonLook::plain : ui::ButtonLook::outlined, tip,
                          icon);
    };
    if (!frame.state.pinned) {
        if (button("compare.pin", "Save as baseline", ui::Icon::none,
                   "Saves these maps as the baseline, “before”, to compare with   P"))
            frame.say("pin");
        return;
    }
    const int chosen = buttons(frame, flow, "compare", {"before", "after", "difference"},
                               static_cast<int>(frame.state.look.compare),
                               "What each map shows: before (the baseline), after (the current "
                               "result), or the difference. The right side shows both large.");
    if (chosen >= 0) frame.say("compare", std::string(name_of(static_cast<Compare>(chosen))));
    if (button("compare.swap", "", ui::Icon::swap,
               "Swaps the baseline and the current experiment   V"))
        frame.say("swap");
    if (button("compare.unpin", "", ui::Icon::close, "Discards the baseline")) frame.say("unpin");
}

// The drawer with all other settings. Those that are not at their default stay visible.
void drawer(Frame& frame, ui::Flow& flow, const HeadsView& view) {
    const Look& look = frame.state.look;
    const Look usual;
    const bool open = look.heads_tools;
    const std::string label = open ? "Fewer tools" : "Tools…";
    const ui::Rect place = flow.take(ui::button_width(frame.ui, label));
    if (ui::button(frame.ui, "heads.tools", place, label, ui::ButtonLook::outlined,
                   open ? "Hides all choices that are at their default"
                        : "Colors, filters, combined maps, rollout, copying and saving"))
        frame.set("heads_tools", open ? "false" : "true");
    frame.ui.report("heads.tools", open ? "open" : "closed");
    if (open || look.range != usual.range) range_choice(frame, flow);
    if (open || look.attention_scale != usual.attention_scale) scale_choice(frame, flow);
    if (open || look.heads_filter != usual.heads_filter) filter_choice(frame, flow, view);
    if (open || look.heads_mass != usual.heads_mass || look.attention_cut != usual.attention_cut)
        part_choices(frame, flow);
    if (open || look.heads_smooth || look.heads_contours) drawing_choice(frame, flow);
    if (open || !frame.state.region.empty()) region_choice(frame, flow);
    if (open || look.heads_combined != usual.heads_combined) combined_choice(frame, flow);
    if (open || frame.recipe.rollout) rollout_choice(frame, flow, view);
    if (open || look.heads_class_map != usual.heads_class_map || look.heads_curves) {
        class_map_choice(frame, flow);
        if (look.heads_class_map) class_choice(frame, flow, "heads.class_map.class");
        if (look.heads_class_map || look.heads_curves) curves_choice(frame, flow);
        class_map_note(frame, flow, view);
    }
}

// A progress bar while every head is measured, and a button to stop.
void measuring(Frame& frame, ui::Flow& flow, const auto& study, std::string_view words) {
    if (!studies_of(frame).busy(study)) return;
    ui::Layout place = flow.take(ui::button_width(frame.ui, "Stop") + frame.px(180));
    const bool stop = place.button_right("heads.stop", "Stop", 8);
    ui::progress_bar(frame.ui, {place.x, place.center().y - frame.px(3), place.w, frame.px(6)},
                     studies_of(frame).progress(study));
    if (place.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(std::string(words));
    if (stop) stop_measuring(frame);
}

}  // namespace

float heads_tools_height(const Frame& frame, const HeadsMemory& memory) {
    const auto rows = static_cast<float>(memory.tool_rows);
    return rows * (frame.line() + frame.px(8)) + (rows - 1) * frame.px(6) + frame.px(16);
}

void heads_tools(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory) {
    ui::Flow flow = flow_in(frame, {rect.x, rect.y, rect.w, 1e6F});
    const std::string token = token_name(frame.trace.layout, view.token);
    const bool several = view.tokens.size() > 1;
    const std::string to = several ? "attend to" : token + " attends to",
                      by_whom = several ? "are attended by" : "is attended by";
    const bool by = frame.state.look.reading == Reading::by;
    queries(frame, flow, view, memory);
    const int chosen = buttons(frame, flow, "heads.reading", {to, by_whom}, by ? 1 : 0);
    if (chosen >= 0) frame.set("reading", chosen == 0 ? "from" : "by");
    special_tokens(frame, flow, view);
    order_choice(frame, flow, view);
    alike_choice(frame, flow, view);
    comparison(frame, flow);
    drawer(frame, flow, view);
    constexpr const char* off = "Switches each head off in turn and runs the model to its end.";
    measuring(frame, flow, kImportance, off);
    measuring(frame, flow, kOutputTurns, off);
    for (const ComputedMeasure& measure : computed_measures())
        measuring(frame, flow, study_of(measure), info(measure.id).meanwhile);
    constexpr const char* back = "Runs the gradient backward through the model.";
    measuring(frame, flow, kClassMap, back);
    measuring(frame, flow, kClassMapBefore, back);
    measuring(frame, flow, kMapCurves,
              "Hides and shows patches in the order of each map, and runs the model.");
    measuring(frame, flow, kWithinRegion, "Computes the attention of the region's patches.");
    measuring(frame, flow, kHeadPatching,
              "Takes each head's output from the baseline and runs the model to its end.");
    query_hint(frame, flow);
    if (memory.tool_rows != flow.lines()) frame.ui.ask_for_frame();
    memory.tool_rows = flow.lines();
    frame.ui.report("heads.query", token);
}

}  // namespace headlight::screens

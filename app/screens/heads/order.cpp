#include "heads/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/similarity.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"

namespace headlight::screens {

namespace {

std::optional<double> change_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const MapPair* pair = pair_of(frame, view, place);
    return pair == nullptr ? std::nullopt : std::optional(pair->variation);
}

std::optional<double> importance_of(const HeadsView& view, std::size_t b, std::size_t h) {
    if (const auto* found = answer_of(view.effects)) return found->off[b][h].probability * 100;
    if (const auto* found = answer_of(view.turns)) return found->off[b][h];
    return std::nullopt;
}

// How the drop-down's words for an order go on after "at least": a noun.
std::string noun_of(const Frame& frame, HeadOrder by) {
    switch (by) {
        case HeadOrder::layer:
        case HeadOrder::groups:
        case HeadOrder::entropy:
            return "entropy";
        case HeadOrder::distance:
            return "distance";
        case HeadOrder::class_token:
            return "share on the class token";
        case HeadOrder::registers:
            return "share on registers";
        case HeadOrder::itself:
            return "share on itself";
        case HeadOrder::neighbours:
            return "share on neighbours";
        case HeadOrder::alike:
            return "correlation with the chosen map";
        case HeadOrder::importance:
            return is_class_chosen(frame)
                       ? "change of " + of_class(frame, "probability") + " when switched off"
                       : "change when switched off";
        case HeadOrder::contribution:
            return "contribution to " + of_class(frame, "logit");
        case HeadOrder::patching:
            return is_class_chosen(frame) ? "change of " + of_class(frame, "probability") +
                                                " with its output from before"
                                          : "change with its output from before";
        case HeadOrder::change:
            return "total variation since before";
    }
    return "";
}

std::string with_unit(const Frame& frame, HeadOrder by, double number) {
    const std::string_view unit = unit_of(frame, by);
    return ui::number(number, 3) + (unit.empty() ? "" : " " + std::string(unit));
}

// What the colours of differences reach, blue to red.
std::string difference_words(const Frame& frame, const HeadsView& view) {
    if (!view.difference || !view.pairs) return "";
    if (frame.state.look.range != RangeMode::shared) return "each map up to its own largest change";
    const float reach = view.pairs->answer.reach[view.query()];
    return "now − before from " + ui::number(-reach, 2) + " to " + ui::number(reach, 2);
}

// Where it stands in the order, and at which likeness it came to what stands before it.
std::string group_words(const HeadsView& view, const HeadTile& tile) {
    const HeadGroups& found = view.groups->answer;
    const auto heads = std::ranges::count(view.tiles, tile.group, &HeadTile::group);
    std::string words = fmt::format("group {} of {}: {} head{}", tile.group + 1, found.groups,
                                    heads, heads == 1 ? "" : "s");
    const auto at =
        static_cast<std::size_t>(std::ranges::find(found.order, tile.place) - found.order.begin());
    if (at < found.joined.size() && std::isfinite(found.joined[at]))
        words += fmt::format("; joined to those before it at r = {:.2f}", found.joined[at]);
    return words;
}

// "144 heads in 31 groups (average r ≥ 0.5), 17 of one head alone (grey)"
std::string groups_words(const HeadsView& view) {
    const auto* found = answer_of(view.groups);
    if (found == nullptr) return "";
    const auto alone = static_cast<int>(std::ranges::count(view.tiles, -1, &HeadTile::hue));
    std::string words =
        fmt::format("{} heads in {} group{} (average r ≥ {:.4g})", view.tiles.size(), found->groups,
                    found->groups == 1 ? "" : "s", view.groups->question.alike);
    if (alone > 0) words += fmt::format(", {} of one head alone (grey)", alone);
    if (found->groups - alone > ui::kHeadHues) words += "; hues repeat with a second one above";
    return words;
}

// What the bars beside the maps say, and what a full one is.
std::string bar_words(const Frame& frame, const HeadsView& view) {
    const HeadOrder by = number_shown(view);
    if (by == HeadOrder::groups) return "";
    double most = 0;
    bool signs = false;
    for (const HeadTile& tile : view.tiles)
        if (tile.number && std::isfinite(*tile.number)) {
            most = std::max(most, std::abs(*tile.number));
            signs = signs || *tile.number < 0;
        }
    if (most == 0) return "";
    return "bar: " + noun_of(frame, by) + ", full at " + (signs ? "±" : "") +
           with_unit(frame, by, most) + (signs ? "; red: below zero" : "");
}

}  // namespace

std::optional<Index> class_asked(const Frame& frame) {
    return class_in_question(frame.state.look, *frame.trace.model, frame.summary.top);
}

bool is_class_chosen(const Frame& frame) {
    const auto asked = class_asked(frame);
    return asked && asked == frame.state.look.heads_class;
}

std::string of_class(const Frame& frame, const std::string& what) {
    return is_class_chosen(frame)
               ? "the " + what + " of " + class_name(*frame.trace.model, *class_asked(frame))
               : "the answer's " + what;
}

bool turns_output(const Frame& frame) { return !has_classes(*frame.trace.model); }

bool is_possible(const Frame& frame, HeadOrder order) {
    const Model& model = *frame.trace.model;
    switch (order) {
        case HeadOrder::class_token:
            return frame.trace.layout.class_tokens > 0;
        case HeadOrder::registers:
            return frame.trace.layout.registers > 0;
        case HeadOrder::importance:
            return has_classes(model) || (!model.is_bare_layer() && !model.is_maps());
        case HeadOrder::contribution:
            return has_classes(model);
        case HeadOrder::patching:
            return has_classes(model) && can_be_patched(frame);
        case HeadOrder::change:
            return frame.state.pinned.has_value();
        default:
            return true;
    }
}

HeadOrder order_of(const Frame& frame) {
    const HeadOrder chosen = frame.state.look.heads_order;
    return is_possible(frame, chosen) ? chosen : HeadOrder::layer;
}

bool is_wanted(const Frame& frame, HeadOrder order) {
    if (!is_possible(frame, order)) return false;
    const Look& look = frame.state.look;
    return look.heads_order == order ||
           (look.heads_filter != HeadFilter::all && look.heads_filter_by == order);
}

std::optional<double> number_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                                HeadOrder by) {
    const HeadNumbers& n = numbers_of(frame, place);
    const auto b = static_cast<std::size_t>(place.layer), h = static_cast<std::size_t>(place.head);
    switch (by) {
        case HeadOrder::layer:
        case HeadOrder::groups:
        case HeadOrder::entropy:
            return n.entropy;
        case HeadOrder::distance:
            return n.distance;
        case HeadOrder::class_token:
            return n.class_mass;
        case HeadOrder::registers:
            return n.register_mass;
        case HeadOrder::itself:
            return n.self_mass;
        case HeadOrder::neighbours:
            return n.neighbour_mass;
        case HeadOrder::alike:
            return alike(frame, view, view.chosen, place);
        case HeadOrder::change:
            return change_of(frame, view, place);
        case HeadOrder::importance:
            return importance_of(view, b, h);
        case HeadOrder::patching:
            if (const auto* found = answer_of(view.patches))
                return (*found)[b][h].probability * 100;
            return std::nullopt;
        case HeadOrder::contribution:
            if (const auto* found = answer_of(view.contributions);
                found && !found->heads[b].empty())
                return found->heads[b][h];
            return std::nullopt;
    }
    return std::nullopt;
}

double alike(const Frame& frame, const HeadsView& view, const HeadPlace& a, const HeadPlace& b) {
    const MatrixView one = patches_of(frame, view, a), other = patches_of(frame, view, b);
    if (one.rows != other.rows || one.cols != other.cols)
        return std::numeric_limits<double>::quiet_NaN();
    return correlation(one, other);
}

HeadOrder number_shown(const HeadsView& view) {
    const bool usual = view.order == HeadOrder::layer || view.order == HeadOrder::groups;
    return usual && view.difference ? HeadOrder::change : view.order;
}

double sorted_by(HeadOrder order, double number) {
    const bool either_way = order == HeadOrder::importance || order == HeadOrder::patching;
    return either_way ? std::abs(number) : number;
}

std::string change_text(double probability) {
    if (std::isnan(probability)) return "NaN";
    const std::string text = fmt::format("{:+.2f} points", probability * 100);
    return text == "-0.00 points" ? "+0.00 points" : text;
}

std::string_view unit_of(const Frame& frame, HeadOrder by) {
    switch (by) {
        case HeadOrder::layer:
        case HeadOrder::groups:
        case HeadOrder::entropy:
            return "bit";
        case HeadOrder::distance:
            return "pixels";
        case HeadOrder::importance:
            return turns_output(frame) ? "" : "points";
        case HeadOrder::patching:
            return "points";
        default:
            return "";
    }
}

std::string number_words(const Frame& frame, HeadOrder by, double number) {
    const std::string n = with_unit(frame, by, number);
    switch (by) {
        case HeadOrder::class_token:
            return n + " on the class token";
        case HeadOrder::registers:
            return n + " on registers";
        case HeadOrder::itself:
            return n + " on itself";
        case HeadOrder::neighbours:
            return n + " on neighbours";
        case HeadOrder::importance:
            if (turns_output(frame))
                return fmt::format("switched off, the output turns: 1 − cosine {}", n);
            return "switched off, " + of_class(frame, "probability") + " changes by " +
                   change_text(number / 100);
        case HeadOrder::patching:
            return "with its output from before, " + of_class(frame, "probability") +
                   " changes by " + change_text(number / 100);
        case HeadOrder::contribution:
            return fmt::format("adds {:+.3f} to {}", number, of_class(frame, "logit"));
        default:
            return noun_of(frame, by) + " " + n;
    }
}

std::string number_words(const Frame& frame, const HeadsView& view, const HeadTile& tile) {
    if (view.order == HeadOrder::groups && !view.difference)
        return tile.group < 0 ? "" : group_words(view, tile);
    return tile.number ? number_words(frame, number_shown(view), *tile.number) : "";
}

void leave_out(const Frame& frame, HeadsView& view) {
    const Look& look = frame.state.look;
    if (look.heads_filter == HeadFilter::all || !is_possible(frame, look.heads_filter_by)) return;
    for (HeadTile& tile : view.tiles) {
        const auto number = look.heads_filter_by == number_shown(view)
                                ? tile.number
                                : number_of(frame, view, tile.place, look.heads_filter_by);
        // What is not measured yet is not left out for it; what is no number is.
        if (!number) continue;
        tile.left_out = look.heads_filter == HeadFilter::least ? !(*number >= look.heads_bound)
                                                               : !(*number <= look.heads_bound);
    }
}

std::string filter_words(const Frame& frame, const HeadsView& view) {
    const Look& look = frame.state.look;
    if (look.heads_filter == HeadFilter::all || !is_possible(frame, look.heads_filter_by))
        return "";
    const auto shown = std::ranges::count(view.tiles, false, &HeadTile::left_out);
    return fmt::format("{} of {} heads: {} at {} {}", shown, view.tiles.size(),
                       noun_of(frame, look.heads_filter_by), name_of(look.heads_filter),
                       with_unit(frame, look.heads_filter_by, look.heads_bound));
}

std::string key_words(const Frame& frame, const HeadsView& view) {
    std::string all;
    for (const std::string& words :
         {filter_words(frame, view), difference_words(frame, view),
          view.order == HeadOrder::groups ? groups_words(view) : bar_words(frame, view)})
        if (!words.empty()) all += (all.empty() ? "" : " · ") + words;
    return all;
}

}  // namespace headlight::screens

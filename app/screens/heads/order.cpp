#include "heads/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/region_share.h"
#include "analysis/similarity.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "kernels/counted.h"
#include "measures/measure_heads.h"

namespace headlight::screens {

namespace {

// A measure on request with a study of its own: what it requires of the frame, and where its values
// are.
struct Requested {
    HeadMeasure id;
    bool (*possible)(const Frame&);
    std::optional<double> (*number)(const Frame&, const HeadsView&, const HeadPlace&);
};

bool answers_classes(const Frame& frame) { return has_classes(*frame.trace.model); }

const auto& at(const auto& heads, const HeadPlace& place) {
    return heads[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
}

std::optional<double> correlation_of(const Frame& frame, const HeadsView& view,
                                     const HeadPlace& place) {
    return alike(frame, view, view.chosen, place);
}

std::optional<double> importance_of(const Frame&, const HeadsView& view, const HeadPlace& place) {
    if (const auto* found = answer_of(view.effects)) return at(found->off, place).probability * 100;
    if (const auto* found = answer_of(view.turns)) return at(found->off, place);
    return std::nullopt;
}

std::optional<double> importance_logit_of(const Frame&, const HeadsView& view,
                                          const HeadPlace& place) {
    const auto* found = answer_of(view.effects);
    if (found == nullptr) return std::nullopt;
    return static_cast<double>(at(found->off, place).logit);
}

std::optional<double> computed_of(const std::shared_ptr<const ComputedFinder::Said>& said,
                                  const HeadPlace& place) {
    const auto* found = answer_of(said);
    if (found == nullptr || (*found)[static_cast<std::size_t>(place.layer)].empty())
        return std::nullopt;
    return at(*found, place);
}

std::optional<double> contribution_of(const Frame&, const HeadsView& view, const HeadPlace& place) {
    const auto* found = answer_of(view.contributions);
    if (found == nullptr || found->heads[static_cast<std::size_t>(place.layer)].empty())
        return std::nullopt;
    return at(found->heads, place);
}

std::optional<double> patching_of(const Frame&, const HeadsView& view, const HeadPlace& place) {
    const auto* found = answer_of(view.patches);
    return found == nullptr ? std::nullopt : std::optional(at(*found, place).probability * 100);
}

std::optional<double> change_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const MapPair* pair = pair_of(frame, view, place);
    return pair == nullptr ? std::nullopt : std::optional(pair->variation);
}

std::optional<double> region_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const MatrixView map = patches_of(frame, view, place);
    if (map.empty()) return std::nullopt;
    return share_on_region(
        map, region_on(frame.state.region, static_cast<int>(map.rows), static_cast<int>(map.cols)));
}

std::optional<double> within_region_of(const Frame&, const HeadsView& view,
                                       const HeadPlace& place) {
    const auto* found = answer_of(view.region);
    if (found == nullptr || (*found)[static_cast<std::size_t>(place.layer)].empty())
        return std::nullopt;
    return at(*found, place);
}

constexpr auto kRequested = std::to_array<Requested>({
    {HeadMeasure::alike, [](const Frame&) { return true; }, correlation_of},
    {HeadMeasure::importance, [](const Frame& frame) { return has_importance(*frame.trace.model); },
     importance_of},
    {HeadMeasure::importance_logit, answers_classes, importance_logit_of},
    {HeadMeasure::contribution, answers_classes, contribution_of},
    {HeadMeasure::patching,
     [](const Frame& frame) { return answers_classes(frame) && can_be_patched(frame); },
     patching_of},
    {HeadMeasure::change, [](const Frame& frame) { return frame.state.pinned.has_value(); },
     change_of},
    {HeadMeasure::region,
     [](const Frame& frame) {
         return !frame.state.region.empty() && frame.state.look.reading == Reading::from;
     },
     region_of},
    {HeadMeasure::within_region,
     [](const Frame& frame) { return !frame.state.region.empty() && !frame.before(); },
     within_region_of},
});
static_assert(std::ranges::all_of(kMeasuresOnRequest, [](const HeadMeasureInfo& row) {
    return std::ranges::count(kRequested, row.id, &Requested::id) == (row.is_computed() ? 0 : 1);
}));
static_assert(has_columns(kRequested, &Requested::possible, &Requested::number));

// Null: measured in every run, or computed from it.
const Requested* requested(HeadMeasure measure) {
    const auto found = std::ranges::find(kRequested, measure, &Requested::id);
    return found == kRequested.end() ? nullptr : &*found;
}

// A text of a measure on request, for the class in question.
std::string filled_text(const Frame& frame, std::string_view text, double number = 0) {
    return fmt::format(fmt::runtime(text), fmt::arg("logit", of_class(frame, "logit")),
                       fmt::arg("probability", of_class(frame, "probability")),
                       fmt::arg("number", fmt::format("{:+.3f}", number)),
                       fmt::arg("points", change_text(number / 100)));
}

std::string with_unit(const Frame& frame, HeadMeasure by, double number) {
    const std::string_view unit = unit_of(frame, by);
    return ui::number(number, 3) + (unit.empty() ? "" : " " + std::string(unit));
}

// The range of the colors of differences, blue to red.
std::string difference_words(const Frame& frame, const HeadsView& view) {
    if (!view.difference || !view.pairs) return "";
    if (frame.state.look.range != RangeMode::shared) return "each map up to its own largest change";
    const float reach = view.pairs->answer.reach[view.query()];
    return "after − before from " + ui::number(-reach, 2) + " to " + ui::number(reach, 2);
}

// Its place in the order, and the correlation at which it joined the heads before it.
std::string group_words(const HeadsView& view, const HeadTile& tile) {
    const HeadGroups& found = view.groups->answer;
    const auto heads = std::ranges::count(view.tiles, tile.group, &HeadTile::group);
    std::string words = fmt::format("group {} of {}: {} head{}", tile.group + 1, found.groups,
                                    heads, heads == 1 ? "" : "s");
    const auto at =
        static_cast<std::size_t>(std::ranges::find(found.order, tile.place) - found.order.begin());
    if (at < found.joined.size() && std::isfinite(found.joined[at]))
        words += fmt::format("; this head joins those before it at r = {:.2f}", found.joined[at]);
    return words;
}

// "144 heads in 31 groups (average r ≥ 0.5), 17 of a single head (gray)"
std::string groups_words(const HeadsView& view) {
    const auto* found = answer_of(view.groups);
    if (found == nullptr) return "";
    const auto alone = static_cast<int>(std::ranges::count(view.tiles, -1, &HeadTile::hue));
    std::string words =
        fmt::format("{} in {} (average r ≥ {:.4g})", counted(std::ssize(view.tiles), "head"),
                    counted(found->groups, "group"), view.groups->question.alike);
    if (alone > 0) words += fmt::format(", {} with a single head (gray)", alone);
    if (found->groups - alone > ui::kHeadHues)
        words += "; groups that share a hue differ in the upper part of their bars";
    return words;
}

// Correlation over the heads between attributions and the changes of the same logit that were
// measured by switching heads off; none unless both are known.
std::optional<double> agreement_of_attributions(const Frame& frame, const HeadsView& view) {
    const auto* measured = answer_of(view.effects);
    if (measured == nullptr) return std::nullopt;
    std::vector<float> estimates, changes;
    for (const HeadTile& tile : view.tiles)
        if (const auto estimate = number_of(frame, view, tile.place, HeadMeasure::attribution)) {
            estimates.push_back(static_cast<float>(*estimate));
            changes.push_back(at(measured->off, tile.place).logit);
        }
    const auto count = static_cast<Index>(estimates.size());
    const double r = correlation(MatrixView(estimates.data(), 1, count, count),
                                 MatrixView(changes.data(), 1, count, count));
    return std::isfinite(r) ? std::optional(r) : std::nullopt;
}

// What the bars beside the maps mean, and the value of a full bar; brief: without the measure.
std::string bar_words(const Frame& frame, const HeadsView& view, bool brief) {
    const HeadMeasure by = number_shown(view);
    double most = 0;
    bool signs = false;
    for (const HeadTile& tile : view.tiles)
        if (tile.number && std::isfinite(*tile.number)) {
            most = std::max(most, std::abs(*tile.number));
            signs = signs || *tile.number < 0;
        }
    if (most == 0) return "";
    const std::string longest = (signs ? "±" : "") + with_unit(frame, by, most);
    std::string words = brief ? "bar: up to " + longest
                              : "bar: " + noun_of(frame, by) + ", longest: " + longest +
                                    (signs ? ". Red: below zero" : "");
    if (by != HeadMeasure::attribution && by != HeadMeasure::importance &&
        by != HeadMeasure::importance_logit)
        return words;
    if (const auto r = agreement_of_attributions(frame, view)) {
        words += fmt::format(". Estimated and measured change: r = {:.2f}", *r);
        frame.ui.report("heads.agreement", fmt::format("{:.6f}", *r));
    }
    return words;
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

bool is_possible(const Frame& frame, HeadMeasure measure) {
    const Model& model = *frame.trace.model;
    if (const Requested* row = requested(measure)) return row->possible(frame);
    if (info(measure).is_computed())
        return has_measure(measure, model, counterfactual_of(frame.recipe, model));
    return info(measure).is_possible(model, frame.trace.layout);
}

bool is_possible(const Frame& frame, HeadOrder order) {
    const auto measure = measure_of(order);
    return !measure || is_possible(frame, *measure);
}

HeadOrder order_of(const Frame& frame) {
    const HeadOrder chosen = frame.state.look.heads_order;
    return is_possible(frame, chosen) ? chosen : HeadOrder::layer;
}

bool is_wanted(const Frame& frame, HeadMeasure measure) {
    if (!is_possible(frame, measure)) return false;
    const Look& look = frame.state.look;
    return look.heads_order == order_by(measure) ||
           (look.heads_filter != HeadFilter::all && look.heads_filter_by == measure);
}

std::optional<double> number_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                                HeadMeasure by) {
    if (const Requested* row = requested(by)) return row->number(frame, view, place);
    if (const auto found = view.computed.find(by); found != view.computed.end())
        return computed_of(found->second, place);
    return numbers_of(frame, place)[by];
}

double alike(const Frame& frame, const HeadsView& view, const HeadPlace& a, const HeadPlace& b) {
    const MatrixView one = patches_of(frame, view, a), other = patches_of(frame, view, b);
    if (one.rows != other.rows || one.cols != other.cols)
        return std::numeric_limits<double>::quiet_NaN();
    return correlation(one, other);
}

HeadMeasure number_shown(const HeadsView& view) {
    return measure_of(view.order)
        .value_or(view.difference ? HeadMeasure::change : HeadMeasure::entropy);
}

double sorted_by(HeadMeasure measure, double number) {
    return info(measure).has_sign ? std::abs(number) : number;
}

std::string change_text(double probability) {
    if (std::isnan(probability)) return "NaN";
    const std::string text = fmt::format("{:+.2f} points", probability * 100);
    return text == "-0.00 points" ? "+0.00 points" : text;
}

std::string_view unit_of(const Frame& frame, HeadMeasure by) {
    return by == HeadMeasure::importance && turns_output(frame) ? "" : info(by).unit;
}

// A number in points is a change of the probability, of which only a chosen class is named.
std::string noun_of(const Frame& frame, HeadMeasure by) {
    const HeadMeasureInfo& row = info(by);
    return row.noun_of_class.empty() || (row.unit == kPoints && !is_class_chosen(frame))
               ? row.noun()
               : filled_text(frame, row.noun_of_class);
}

std::string number_words(const Frame& frame, HeadMeasure by, double number) {
    if (by == HeadMeasure::importance && turns_output(frame))
        return "without this head, the output changes: 1 − cosine " + ui::number(number, 3);
    if (!info(by).sentence.empty()) return filled_text(frame, info(by).sentence, number);
    const std::string n = with_unit(frame, by, number);
    return info(by).is_share ? n + " " + std::string(info(by).label) : noun_of(frame, by) + " " + n;
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
        // A value that is not measured yet does not hide a head; NaN does.
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
    return fmt::format("{} of {} heads: {} {} {}", shown, view.tiles.size(),
                       noun_of(frame, look.heads_filter_by),
                       look.heads_filter == HeadFilter::least ? "≥" : "≤",
                       with_unit(frame, look.heads_filter_by, look.heads_bound));
}

std::string key_words(const Frame& frame, const HeadsView& view, bool brief) {
    std::string all;
    for (const std::string& words :
         {filter_words(frame, view), difference_words(frame, view),
          view.order == HeadOrder::groups ? groups_words(view) : bar_words(frame, view, brief)})
        if (!words.empty()) all += (all.empty() ? "" : " · ") + words;
    return all;
}

}  // namespace headlight::screens

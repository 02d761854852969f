#include "heads/asked.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "frame/export.h"
#include "heads/memory.h"
#include "heads/order.h"
#include "trace/same_place.h"

namespace headlight::screens {

namespace {

// The pinned queries, which the pointer does not change; otherwise the token under it, or the
// default.
std::vector<Index> tokens_of(const Frame& frame) {
    const Selection& pinned = frame.state.selection;
    if (!is_query_pinned(frame)) return {frame.focus.token.value_or(usual_token(frame.trace))};
    std::vector<Index> tokens{*pinned.token};
    tokens.insert(tokens.end(), pinned.also.begin(), pinned.also.end());
    return tokens;
}

// Groups of several heads have a hue each.
std::vector<HeadTile> tiles_in_groups(const Frame& frame, const HeadsView& view,
                                      const HeadGroups& groups) {
    std::vector<int> sizes(static_cast<std::size_t>(groups.groups)), hues(sizes.size(), -1);
    for (const int group : groups.group) ++sizes[static_cast<std::size_t>(group)];
    int hue = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g)
        if (sizes[g] > 1) hues[g] = hue++;
    std::vector<HeadTile> tiles;
    for (std::size_t i = 0; i < groups.order.size(); ++i)
        tiles.push_back({groups.order[i],
                         number_of(frame, view, groups.order[i], number_shown(view)),
                         groups.group[i], hues[static_cast<std::size_t>(groups.group[i])]});
    return tiles;
}

std::vector<HeadTile> tiles_of(const Frame& frame, const HeadsView& view) {
    if (const auto* groups = answer_of(view.groups); groups && view.order == HeadOrder::groups)
        return tiles_in_groups(frame, view, *groups);
    std::vector<HeadTile> tiles;
    const auto& maps = view.all().maps;
    for (std::size_t b = 0; b < maps.size(); ++b)
        for (Index h = 0; maps[b] && h < maps[b]->view().rows; ++h) {
            const HeadPlace place{static_cast<int>(b), static_cast<int>(h)};
            tiles.push_back({place, number_of(frame, view, place, number_shown(view))});
        }
    if (view.order == HeadOrder::groups || view.order == HeadOrder::layer) return tiles;
    const double least = -std::numeric_limits<double>::infinity();
    const auto rank = [&](const HeadTile& tile) {
        return tile.number && !std::isnan(*tile.number)
                   ? sorted_by(number_shown(view), *tile.number)
                   : least;
    };
    std::ranges::stable_sort(tiles, std::greater{}, rank);
    return tiles;
}

std::optional<HeadPlace> most_alike_to(const Frame& frame, const HeadsView& view,
                                       const HeadPlace& place) {
    std::optional<HeadPlace> best;
    double most = -2;
    for (const HeadTile& tile : view.tiles) {
        if (tile.place == place) continue;
        const double r = alike(frame, view, place, tile.place);
        if (r > most) {
            most = r;
            best = tile.place;
        }
    }
    return best;
}

bool has_map(const HeadsView& view, const HeadPlace& place) {
    return std::ranges::find(view.tiles, place, &HeadTile::place) != view.tiles.end();
}

void count(const TokenFinder::Said& said, Magnitudes& sizes) {
    for (std::size_t q = 0; q <= said.question.also.size(); ++q)
        for (const HeadPlace& place : heads_in(said))
            if (const MatrixView map = patches_in(said, place, q); !map.empty()) sizes.add(map);
}

// Both results share one range, so that they can be compared.
Magnitudes sizes_of(const HeadsView& view) {
    Magnitudes sizes;
    count(*view.said, sizes);
    if (view.other) count(*view.other, sizes);
    return sizes;
}

const std::shared_ptr<const Summary>& summary_of(const Frame& frame) {
    const bool before = &frame.trace == frame.work.pinned_trace().get();
    return before ? frame.work.pinned_summary() : frame.work.summary();
}

const TokenFinder& other_reader(const Frame& frame) {
    return frame.before() ? kTokenMaps : kTokenMapsBefore;
}

std::string why_apart(const Frame& frame) {
    return headlight::why_apart(other_result(frame).trace.get(),
                                frame.before() ? "after" : "before");
}

bool wants_pairs(const Frame& frame) {
    return frame.state.look.compare != Compare::after || is_wanted(frame, HeadMeasure::change);
}

// The answer, if it belongs to exactly these results.
template <class Said>
std::shared_ptr<const Said> of_result(const std::shared_ptr<const Trace>& trace,
                                      std::shared_ptr<const Said> said) {
    return said && said->error.empty() && said->question.trace == trace ? said : nullptr;
}

// Asks for the same tokens of the other result and, when both are known, for the pairs of heads.
void ask_other(const Frame& frame, const TokenQuestion& asked) {
    if (!frame.state.pinned || !why_apart(frame).empty()) return;
    const auto& [trace, summary, recipe] = other_result(frame);
    Studies& studies = studies_of(frame);
    const auto others = studies.ask(other_reader(frame), asked_of(trace, summary, asked));
    if (!wants_pairs(frame)) return;
    const auto here = of_result(asked.trace, studies.last(reader_in_view(frame))),
               there = of_result(trace, others);
    if (!here || !there || !(there->question == asked_of(trace, summary, here->question))) return;
    studies.ask(kPairedMaps,
                frame.before() ? PairQuestion{there, here} : PairQuestion{here, there});
}

// Asks for what only one order needs.
void ask_where(const Frame& frame, bool wanted, const auto& study, const auto& question) {
    if (wanted) studies_of(frame).ask(study, question());
}

// Empty if no class map is chosen, or that result has none.
std::optional<ClassMapAsked> class_map_asked(const Frame& frame,
                                             const std::shared_ptr<const Trace>& trace,
                                             const Recipe& recipe) {
    const std::optional<MapMethod> method = frame.state.look.heads_class_map;
    if (!method || !frame.work.complete()) return std::nullopt;
    const Counterfactual change = counterfactual_of(recipe, *trace->model);
    if (!is_possible(*method, *trace, change)) return std::nullopt;
    return ClassMapAsked{trace, change, *method, class_asked(frame)};
}
std::optional<ClassMapAsked> class_map_asked(const Frame& frame) {
    return class_map_asked(frame, frame.shared(frame.trace), frame.recipe);
}

bool has_same_class(const Frame& frame, const Model& other) {
    const std::optional<Index> asked = class_asked(frame);
    if (asked.has_value() != has_classes(other)) return false;
    return !asked || class_name(*frame.trace.model, *asked) == class_name(other, *asked);
}

// For the result that is not shown. Empty if it is not compared, or lacks the class.
std::optional<ClassMapAsked> other_class_map_asked(const Frame& frame) {
    const bool wanted = frame.state.pinned && wants_pairs(frame) && why_apart(frame).empty();
    if (!wanted) return std::nullopt;
    const auto& [trace, summary, recipe] = other_result(frame);
    if (!has_same_class(frame, *trace->model)) return std::nullopt;
    return class_map_asked(frame, trace, recipe);
}

const ClassMapFinder& class_map_in_view(const Frame& frame) {
    return frame.before() ? kClassMapBefore : kClassMap;
}
const ClassMapFinder& other_class_map(const Frame& frame) {
    return frame.before() ? kClassMap : kClassMapBefore;
}

void ask_for_class_maps(const Frame& frame) {
    Studies& studies = studies_of(frame);
    if (const auto here = class_map_asked(frame)) studies.ask(class_map_in_view(frame), *here);
    if (const auto there = other_class_map_asked(frame))
        studies.ask(other_class_map(frame), *there);
}

// Empty if no curves are wanted, or there is no class map or no class to compute them for.
std::optional<MapCurvesAsked> map_curves_asked(const Frame& frame) {
    const bool exported = frame.memory.own<Export>().wanted == "heads.curves";
    if (!frame.state.look.heads_curves && !exported) return std::nullopt;
    const std::optional<ClassMapAsked> map = class_map_asked(frame);
    if (!map || !map->of_class) return std::nullopt;
    return MapCurvesAsked{map->trace, map->change,
                          rankings_beside(map->method, *map->trace, map->change), *map->of_class};
}

void ask_for_numbers(const Frame& frame) {
    const std::optional<Index> asked = class_asked(frame);
    const bool answers = asked.has_value();
    const auto change = [&] { return counterfactual_of(frame.recipe, *frame.trace.model); };
    const auto of_answer = [&] {
        return EffectQuestion{frame.shared(frame.trace), change(), *asked};
    };
    const bool important = is_wanted(frame, HeadMeasure::importance) ||
                           is_wanted(frame, HeadMeasure::importance_logit);
    ask_where(frame, important && answers, kImportance, of_answer);
    // Its output is computed last.
    ask_where(
        frame,
        important && turns_output(frame) && has_output_row(frame.trace) && frame.work.complete(),
        kOutputTurns, [&] {
            return TurnQuestion{frame.shared(frame.trace), change()};
        });
    for (const ComputedMeasure& measure : computed_measures())
        ask_where(frame,
                  is_wanted(frame, measure.id) &&
                      (info(measure.id).of_class ? answers : frame.work.complete()),
                  study_of(measure), [&] {
                      return EffectQuestion{frame.shared(frame.trace), change(),
                                            info(measure.id).of_class ? *asked : 0};
                  });
    const bool leaves = frame.memory.own<Export>().wanted == "heads.contributions";
    ask_where(frame, (is_wanted(frame, HeadMeasure::contribution) || leaves) && answers,
              kContributions, of_answer);
    const bool of_heads = frame.state.look.heads_patched == Patched::heads ||
                          frame.state.look.heads_order != order_by(HeadMeasure::patching);
    ask_where(frame, is_wanted(frame, HeadMeasure::patching) && of_heads && answers, kHeadPatching,
              [&] {
                  return PatchQuestion{of_answer(), frame.work.pinned_trace(),
                                       counterfactual_of(*frame.state.pinned, *frame.trace.model)};
              });
    // While a region is being drawn, the mouse button is down; measure it afterwards.
    const bool drawn = !frame.state.region.empty() && !ImGui::IsMouseDown(0);
    ask_where(frame, drawn && !frame.before(), kWithinRegion, [&] {
        return RegionQuestion{frame.shared(frame.trace), summary_of(frame), frame.state.region};
    });
    ask_for_class_maps(frame);
    if (const auto curves = map_curves_asked(frame)) studies_of(frame).ask(kMapCurves, *curves);
}

// The answer, if it belongs to exactly this result.
template <class Said>
std::shared_ptr<const Said> of_present(const Frame& frame, std::shared_ptr<const Said> said) {
    return said && said->question.trace.get() == &frame.trace ? said : nullptr;
}

// The answer, if it belongs to exactly this question.
template <class Said, class Question>
std::shared_ptr<const Said> of_question(std::shared_ptr<const Said> said,
                                        const std::optional<Question>& asked) {
    return said && asked && said->question == *asked ? said : nullptr;
}

// May belong to another class until the current one is computed.
template <class Said>
std::shared_ptr<const Said> of_class_asked(const Frame& frame, std::shared_ptr<const Said> said) {
    return said && said->question.of_class == class_asked(frame) ? said : nullptr;
}

// The maps of both results, if they are wanted. Uses the maps that were paired, so that everything
// shown belongs to the same tokens.
void find_pairs(const Frame& frame, HeadsView& view) {
    if (!frame.state.pinned) return;
    const auto& trace = other_result(frame).trace;
    view.comparing = frame.state.look.compare != Compare::after;
    view.apart = why_apart(frame);
    if (!view.apart.empty()) return;
    view.other = of_result(trace, studies_of(frame).last(other_reader(frame)));
    if (!wants_pairs(frame)) return;
    const auto paired = studies_of(frame).last(kPairedMaps);
    if (!paired || !paired->error.empty()) return;
    const auto& [now, before] = paired->question;
    // The previous result may still be visible; its maps stay until new ones are ready.
    const auto& [mine, others] = frame.before() ? std::pair(before, now) : std::pair(now, before);
    if (mine->question.trace.get() != &frame.trace || others->question.trace != trace) return;
    view.pairs = paired;
    view.said = frame.before() ? before : now;
    view.other = frame.before() ? now : before;
    view.apart = paired->answer.why_not;
}

std::vector<std::map<HeadPlace, SharedResult>> masses_of(const Frame& frame, const HeadsView& view,
                                                         double part) {
    std::vector<std::map<HeadPlace, SharedResult>> masses(view.tokens.size());
    for (std::size_t q = 0; q < view.tokens.size(); ++q)
        for (const HeadTile& tile : view.tiles)
            if (const MatrixView map = patches_of(frame, view, tile.place, q); !map.empty())
                masses[q][tile.place] = mass_of(map, part);
    return masses;
}

}  // namespace

void stop_measuring(Frame& frame) {
    const Studies& studies = studies_of(frame);
    if (studies.busy(kBranches) || studies.busy(kRings)) frame.set("heads_side", "distance");
    if (auto& exported = frame.memory.own<Export>(); exported.wanted)
        exported.refusal = "Stopped before there was a result.";
    const auto takes_long = [](std::optional<HeadMeasure> measure) {
        return measure && (info(*measure).of_class || info(*measure).is_computed());
    };
    if (studies.busy(kClassMap) || studies.busy(kClassMapBefore))
        frame.set("heads_class_map", "none");
    if (studies.busy(kMapCurves)) frame.set("heads_curves", "false");
    if (takes_long(measure_of(frame.state.look.heads_order))) frame.set("heads_order", "layer");
    if (takes_long(frame.state.look.heads_filter_by)) frame.set("heads_filter", "all");
}

void ask_for_heads(Frame& frame, HeadsMemory& memory) {
    const std::vector<Index> tokens = tokens_of(frame);
    const TokenQuestion question{frame.shared(frame.trace),
                                 summary_of(frame),
                                 tokens.front(),
                                 frame.state.look.reading,
                                 {tokens.begin() + 1, tokens.end()}};
    Studies& studies = studies_of(frame);
    const auto maps = of_present(frame, studies.ask(reader_in_view(frame), question));
    ask_other(frame, question);
    ask_where(frame, order_of(frame) == HeadOrder::groups && maps && maps->error.empty(),
              kHeadGroups, [&] {
                  const std::size_t last = maps->question.also.size();
                  return GroupQuestion{maps, std::min(memory.pointed.query.value_or(0), last),
                                       frame.state.look.heads_alike};
              });
    const int cancels = frame.work.cancels();
    const bool stops = std::exchange(memory.cancels, cancels).value_or(cancels) != cancels;
    if (stops && studies.busy())
        stop_measuring(frame);
    else
        ask_for_numbers(frame);
}

const TokenFinder& reader_in_view(const Frame& frame) {
    return frame.before() ? kTokenMapsBefore : kTokenMaps;
}

std::shared_ptr<const TokenFinder::Said> maps_in_view(const Frame& frame) {
    return studies_of(frame).last(reader_in_view(frame));
}

HeadsView view_of(Frame& frame, HeadsMemory& memory,
                  const std::shared_ptr<const TokenFinder::Said>& said) {
    HeadsView view;
    view.said = said;
    view.order = order_of(frame);
    find_pairs(frame, view);
    view.difference = frame.difference() && view.apart.empty();
    const Studies& studies = studies_of(frame);
    view.effects = of_class_asked(frame, of_present(frame, studies.last(kImportance)));
    view.turns = of_present(frame, studies.last(kOutputTurns));
    for (const ComputedMeasure& measure : computed_measures()) {
        const auto found = of_present(frame, studies.last(study_of(measure)));
        view.computed[measure.id] =
            info(measure.id).of_class ? of_class_asked(frame, found) : found;
    }
    view.contributions = of_class_asked(frame, of_present(frame, studies.last(kContributions)));
    view.patches = studies.last(kHeadPatching);
    if (view.patches && (view.patches->question.now.trace.get() != &frame.trace ||
                         view.patches->question.now.of_class != class_asked(frame) ||
                         view.patches->question.from != frame.work.pinned_trace()))
        view.patches = nullptr;
    view.class_map = of_question(studies.last(class_map_in_view(frame)), class_map_asked(frame));
    const auto asked_there = other_class_map_asked(frame);
    view.has_other_class_map = asked_there.has_value();
    view.other_class_map = of_question(studies.last(other_class_map(frame)), asked_there);
    view.map_curves = of_question(studies.last(kMapCurves), map_curves_asked(frame));
    view.region = of_present(frame, studies.last(kWithinRegion));
    if (view.region && view.region->question.region != frame.state.region) view.region = nullptr;
    view.groups = studies.last(kHeadGroups);
    // May belong to another query until the current one is computed.
    if (view.groups && view.groups->question.maps != view.said) view.groups = nullptr;
    const TokenQuestion& asked = view.said->question;
    view.tokens.assign(1, asked.token);
    view.tokens.insert(view.tokens.end(), asked.also.begin(), asked.also.end());
    if (const auto query = memory.pointed.query; query && *query < view.tokens.size())
        view.alone = query;
    if (view.difference && !view.alone) view.alone = 0;  // hues cannot show negative values
    view.token = view.tokens[view.query()];
    view.chosen = {frame.trace.layer, frame.state.selection.head};
    view.tiles = tiles_of(frame, view);
    leave_out(frame, view);
    if (!has_map(view, view.chosen) && !view.tiles.empty()) view.chosen = view.tiles.front().place;
    view.shown = memory.pointed.head && has_map(view, *memory.pointed.head) ? *memory.pointed.head
                                                                            : view.chosen;
    if (!view.comparing || !view.other) view.most_alike = most_alike_to(frame, view, view.shown);
    view.sizes = &memory.sizes.get({view.said, view.other}, [&] { return sizes_of(view); });
    if (const float mass = frame.state.look.heads_mass; mass < 100)
        view.masses = &memory.masses.get({view.said, mass},
                                         [&] { return masses_of(frame, view, mass / 100.0); });
    find_combinations(frame, view, memory);
    find_combined_pairs(frame, view, memory);
    return view;
}

}  // namespace headlight::screens

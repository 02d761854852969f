#include "state/all_heads.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/clusters.h"
#include "analysis/prediction.h"
#include "analysis/similarity.h"
#include "encoder/lens.h"
#include "encoder/nearest.h"
#include "trace/same_place.h"

namespace headlight {

namespace {

using Clock = std::chrono::steady_clock;

// done: called with the fraction of this token's layers that is done.
template <class Done>
MapsOfToken maps_of(const TokenQuestion& q, Index token, const StopFlag& stop, const Done& done) {
    const auto& kept = q.summary->kept;
    const auto first = static_cast<std::size_t>(q.trace->model->token_transformers());
    MapsOfToken maps(kept.size());
    for (std::size_t b = first; b < kept.size(); ++b) {
        throw_if_stopped(stop);
        const std::optional<Index> there = token_in_layer(q, static_cast<int>(b), token);
        if (!there) continue;
        maps[b] = make_result(q.reading == Reading::from ? kept[b]->of_query(*there, stop)
                                                         : kept[b]->of_key(*there, stop));
        done(static_cast<float>(b + 1) / static_cast<float>(kept.size()));
    }
    return maps;
}

// The index of the query if it was asked before for the same result and direction; otherwise empty.
std::optional<std::size_t> known(const TokenFinder::Said* before, const TokenQuestion& now,
                                 Index token) {
    if (before == nullptr || !before->error.empty()) return std::nullopt;
    const TokenQuestion& then = before->question;
    if (then.trace != now.trace || then.summary != now.summary || then.reading != now.reading)
        return std::nullopt;
    if (then.token == token) return 0;
    const auto at = std::ranges::find(then.also, token);
    if (at == then.also.end()) return std::nullopt;
    return static_cast<std::size_t>(at - then.also.begin()) + 1;
}

Index count_of(const MapsOfToken& maps) {
    Index count = 0;
    for (const SharedResult& heads : maps)
        if (heads) count += heads->view().rows;
    return count;
}

// For the first sample; the window has no other.
SharedResult likeness_of(const Trace& trace, Index token, const StopFlag& stop) {
    const auto first = static_cast<std::size_t>(trace.model->alike_from());
    if (!has_last_tokens(trace)) return nullptr;
    if (trace.stream.size() != trace.model->layers.size() + 1) return nullptr;
    Matrix likeness;
    for (std::size_t l = first; l < trace.stream.size(); ++l) {
        throw_if_stopped(stop);
        const MatrixView tokens = trace.stream[l]->view();
        if (token >= tokens.rows) return nullptr;
        if (likeness.size() == 0)
            likeness.resize(static_cast<Index>(trace.stream.size() - first), tokens.rows);
        likeness.row(static_cast<Index>(l - first)) = cosines_to(tokens, token);
    }
    return make_result(std::move(likeness));
}

TokenInStream look_into_stream(const Trace& trace, Index token, const StopFlag& stop) {
    TokenInStream found;
    found.likeness = likeness_of(trace, token, stop);
    if (!found.likeness) return found;
    if (has_lens(*trace.model)) {
        found.lens = logit_lens(trace, token, stop);
        for (Index l = 0; l < found.lens.rows(); ++l)
            found.answers.push_back(
                class_probabilities(MatrixView(found.lens).block(l, 0, 1, found.lens.cols())));
    } else if (has_one_width(trace)) {
        found.nearest = cosines_to_outputs(trace, token, stop);
    }
    return found;
}

struct PatchMap {
    HeadPlace place;
    MatrixView cells;  // [1, patches]
};
std::vector<PatchMap> patch_maps_of(const TokenFinder::Said& said, std::size_t query) {
    std::vector<PatchMap> all;
    const Index prefix = said.question.trace->layout.prefix(),
                tokens = said.question.trace->layout.count();
    const auto& maps = said.answer.of(query);
    for (std::size_t b = 0; b < maps.size(); ++b) {
        // Maps over other tokens cannot be compared cell by cell.
        if (!maps[b] || maps[b]->view().cols != tokens) continue;
        const MatrixView heads = maps[b]->view();
        for (Index h = 0; h < heads.rows; ++h)
            all.push_back({{static_cast<int>(b), static_cast<int>(h)},
                           heads.block(h, prefix, 1, heads.cols - prefix)});
    }
    return all;
}

Matrix distances_of(const std::vector<PatchMap>& maps, const StopFlag& stop) {
    const auto count = static_cast<Index>(maps.size());
    Matrix distances = Matrix::Zero(count, count);
    for (Index a = 0; a < count; ++a) {
        throw_if_stopped(stop);
        for (Index b = a + 1; b < count; ++b) {
            const double r = correlation(maps[static_cast<std::size_t>(a)].cells,
                                         maps[static_cast<std::size_t>(b)].cells);
            distances(a, b) = distances(b, a) = std::isnan(r) ? 1.0F : static_cast<float>(1 - r);
        }
    }
    return distances;
}

}  // namespace

std::optional<Index> token_in_layer(const TokenQuestion& q, int layer, Index token) {
    const auto index = static_cast<std::size_t>(layer);
    if (index >= q.summary->kept.size() || !q.summary->kept[index]) return std::nullopt;
    const KeptAttention& kept = *q.summary->kept[index];
    if (q.trace->model->has_merges())
        token = token_at_same_place(places_of(*q.trace), {kept.layout(), kept.grid()},
                                    static_cast<int>(token));
    return token < kept.layout().count() ? std::optional(token) : std::nullopt;
}

const PatchGrid& grid_in_layer(const Trace& trace, const KeptLayers& kept, int layer) {
    const auto index = static_cast<std::size_t>(layer);
    const bool other = trace.model->has_merges() && index < kept.size() && kept[index];
    return other ? kept[index]->grid() : trace.grid;
}

bool has_last_tokens(const Trace& trace) {
    const Model& model = *trace.model;
    return !model.has_merges() || model.level_of(trace.layer) == model.last_level();
}

int usual_token(const Trace& trace) {
    if (trace.layout.class_tokens > 0) return 0;
    const PatchGrid& grid = trace.grid;
    return static_cast<int>(trace.layout.prefix()) + grid.rows / 2 * grid.cols + grid.cols / 2;
}

TokenInLayers compute_across_layers(const TokenQuestion& q, const StopFlag& stop,
                                    const TokenFinder::Said* before, std::atomic<float>* progress) {
    TokenInLayers all;
    const auto start = Clock::now();
    float tokens = 0;
    const auto read = [&](Index token) {
        if (const auto there = known(before, q, token)) return before->answer.of(*there);
        MapsOfToken maps = maps_of(q, token, stop, [&](float part) {
            if (progress) *progress = (tokens + part) / static_cast<float>(1 + q.also.size());
        });
        all.made += count_of(maps);
        return maps;
    };
    all.maps = read(q.token);
    for (const Index token : q.also) {
        ++tokens;
        all.also.push_back(read(token));
    }
    all.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    const auto look = [&](Index token) {
        const auto there = known(before, q, token);
        all.stream.push_back(there ? before->answer.stream[*there]
                                   : look_into_stream(*q.trace, token, stop));
    };
    look(q.token);
    std::ranges::for_each(q.also, look);
    return all;
}

std::optional<Index> class_in_question(const Look& look, const Model& model,
                                       const std::vector<Prediction>& top) {
    if (top.empty() || !has_classes(model)) return std::nullopt;
    const Index classes = model.classifier.weight->view().rows;
    const Index chosen = look.heads_class.value_or(-1);
    return chosen >= 0 && chosen < classes ? chosen : top.front().index;
}

namespace {

auto read_tokens() {
    return [before = TokenFinder::Said{}](const TokenQuestion& question,
                                          const TokenFinder::Run& run) mutable {
        TokenInLayers found = compute_across_layers(question, run.stop, &before, &run.progress);
        before = {question, found};
        return found;
    };
}

}  // namespace

const TokenFinder kTokenMaps{.compute = read_tokens()};
const TokenFinder kTokenMapsBefore{.compute = read_tokens()};

const EffectFinder kImportance{
    .compute =
        [](const EffectQuestion& q, const EffectFinder::Run& run) {
            HeadImportance found;
            found.off = ablate_heads(*q.trace, q.change, q.of_class, run.watch(0, 0.5F), run.stop);
            found.level =
                level_heads(*q.trace, q.change, q.of_class, run.watch(0.5F, 0.5F), run.stop);
            return found;
        },
    .takes_long = true};

const TurnFinder kOutputTurns{
    .compute =
        [](const TurnQuestion& q, const TurnFinder::Run& run) {
            HeadsTurning found;
            found.off = turns_without_heads(*q.trace, q.change, run.watch(0, 0.5F), run.stop);
            found.level = turns_of_level_heads(*q.trace, q.change, run.watch(0.5F, 0.5F), run.stop);
            return found;
        },
    .takes_long = true};

const ComputedFinder& study_of(const ComputedMeasure& measure) {
    static const std::vector<ComputedFinder> studies = [] {
        std::vector<ComputedFinder> all;
        for (const ComputedMeasure& row : computed_measures())
            all.push_back({.compute =
                               [&row](const EffectQuestion& q, const ComputedFinder::Run& run) {
                                   return row.compute(
                                       {*q.trace, q.change, q.of_class, run.watch(), run.stop});
                               },
                           .takes_long = true});
        return all;
    }();
    return studies.at(static_cast<std::size_t>(&measure - computed_measures().data()));
}

const PatchFinder kHeadPatching{.compute =
                                    [](const PatchQuestion& q, const PatchFinder::Run& run) {
                                        return patch_heads({*q.now.trace, q.now.change},
                                                           {*q.from, q.from_change}, q.now.of_class,
                                                           run.watch(), run.stop);
                                    },
                                .takes_long = true};

const ContributionFinder kContributions{
    .compute =
        [](const EffectQuestion& q, const ContributionFinder::Run& run) {
            return contributions_to(*q.trace, q.change, q.of_class, run.watch(), run.stop);
        },
    .takes_long = true};

HeadGroups group_heads(const GroupQuestion& question, const StopFlag& stop) {
    const std::vector<PatchMap> maps = patch_maps_of(*question.maps, question.query);
    const Clusters clusters = clusters_of(distances_of(maps, stop), 1.0 - question.alike, stop);
    HeadGroups found;
    found.groups = clusters.groups;
    for (const std::size_t i : clusters.order) {
        found.order.push_back(maps[i].place);
        found.group.push_back(clusters.group[i]);
    }
    for (const float height : clusters.height)
        found.joined.push_back(found.joined.empty() ? std::nan("") : 1.0 - height);
    return found;
}

const GroupFinder kHeadGroups{
    .compute = [](const GroupQuestion& question, const GroupFinder::Run& run) {
        return group_heads(question, run.stop);
    }};

}  // namespace headlight

#include "state/paired_maps.h"

#include <algorithm>
#include <cmath>

#include "analysis/similarity.h"
#include "analysis/statistics.h"
#include "encoder/token_maps.h"
#include "kernels/counted.h"
#include "trace/same_place.h"

namespace headlight {

namespace {

// For results in which no head has two maps with the same number of patches.
std::string why_not(const TokenFinder::Said& now, const TokenFinder::Said& before) {
    const PatchGrid &a = now.question.trace->grid, &b = before.question.trace->grid;
    if (a.rows == b.rows && a.cols == b.cols)
        return "There is no difference, because no head exists both before and after.";
    return why_no_difference(a, b);
}

// The number of heads that the other result lacks.
std::size_t without_partner(const TokenFinder::Said& of, const TokenFinder::Said& in) {
    const auto lacks = [&](const HeadPlace& place) {
        const auto other = same_head(*of.question.trace, *in.question.trace, place);
        if (!other) return true;
        const MatrixView one = patches_in(of, place, 0), two = patches_in(in, *other, 0);
        return one.rows != two.rows || one.cols != two.cols;
    };
    return static_cast<std::size_t>(std::ranges::count_if(heads_in(of), lacks));
}

std::string unpaired(const TokenFinder::Said& now, const TokenFinder::Said& before) {
    const std::size_t here = without_partner(now, before), there = without_partner(before, now);
    const auto words = [](std::size_t count, const char* when) {
        return counted(count, "head") + (count == 1 ? " is" : " are") + " only in “" + when + "”";
    };
    if (here + there == 0) return "";
    std::string all = "Comparing the same layers and heads: ";
    if (here > 0) all += words(here, "after");
    if (here > 0 && there > 0) all += ", ";
    if (there > 0) all += words(there, "before");
    return all + ".";
}

float reach_of(const MatrixView& cells) {
    const Statistics range = statistics(cells);
    const float reach = std::max(std::abs(range.min), std::abs(range.max));
    return std::isfinite(reach) ? reach : 0;
}

}  // namespace

std::optional<HeadPlace> same_head(const Trace& from, const Trace& to, const HeadPlace& place) {
    const int layer =
        place.layer - from.model->token_transformers() + to.model->token_transformers();
    const auto count = static_cast<int>(to.model->layers.size());
    if (layer < to.model->token_transformers() || layer >= count) return std::nullopt;
    return HeadPlace{layer, place.head};
}

std::string why_apart(const Trace* other, const std::string& when) {
    if (other == nullptr) return "The baseline is still being computed.";
    if (is_cross(*other))
        return "No comparison: in “" + when + "”, the queries are not tokens of the picture.";
    if (!other->image)
        return "No comparison: in “" + when + "”, the tokens do not belong to a picture.";
    if (other->layer < other->model->token_transformers())
        return "No comparison: in “" + when +
               "”, a token transformer is shown, which has other tokens.";
    return "";
}

TokenQuestion asked_of(const std::shared_ptr<const Trace>& trace,
                       const std::shared_ptr<const Summary>& summary, const TokenQuestion& like) {
    const TokenPlaces from = places_of(*like.trace), to = places_of(*trace);
    const Index last = trace->layout.count() - 1;
    const auto moved = [&](Index token) {
        return std::min<Index>(token_at_same_place(from, to, static_cast<int>(token)), last);
    };
    TokenQuestion question{trace, summary, moved(like.token), like.reading, {}};
    for (const Index token : like.also) question.also.push_back(moved(token));
    return question;
}

std::vector<HeadPlace> heads_in(const TokenFinder::Said& said) {
    std::vector<HeadPlace> places;
    const MapsOfToken& maps = said.answer.maps;
    for (std::size_t b = 0; b < maps.size(); ++b)
        for (Index h = 0; maps[b] && h < maps[b]->view().rows; ++h)
            places.push_back({static_cast<int>(b), static_cast<int>(h)});
    return places;
}

MatrixView tokens_in(const TokenFinder::Said& said, const HeadPlace& place, std::size_t query) {
    const MapsOfToken& all = said.answer.of(query);
    const auto layer = static_cast<std::size_t>(place.layer);
    if (layer >= all.size() || !all[layer] || place.head >= all[layer]->view().rows) return {};
    const MatrixView maps = all[layer]->view();
    return {maps.row(place.head), 1, maps.cols, maps.cols};
}

MatrixView patches_in(const TokenFinder::Said& said, const HeadPlace& place, std::size_t query) {
    const Trace& trace = *said.question.trace;
    const PatchGrid& grid = grid_in_layer(trace, said.question.summary->kept, place.layer);
    const Index prefix = trace.layout.prefix();
    const MatrixView tokens = tokens_in(said, place, query);
    if (tokens.empty() || tokens.cols != prefix + grid.count()) return {};
    return {tokens.data + prefix, grid.rows, grid.cols, grid.cols};
}

std::optional<double> patch_share(const TokenFinder::Said& said, const HeadPlace& place,
                                  std::size_t query) {
    return patch_share(said, std::vector{place}, query);
}

std::optional<double> patch_share(const TokenFinder::Said& said,
                                  const std::vector<HeadPlace>& places, std::size_t query) {
    double patches = 0, all = 0;
    for (const HeadPlace& place : places) {
        const MatrixView map = patches_in(said, place, query);
        if (map.empty()) return std::nullopt;
        patches += map.eigen().cast<double>().sum();
        all += tokens_in(said, place, query).eigen().cast<double>().sum();
    }
    if (!std::isfinite(all) || all <= 0) return std::nullopt;
    return patches / all;
}

MapPair pair_maps(const MatrixView& now, const MatrixView& before) {
    return {make_result(difference(now, before)), correlation(now, before),
            total_variation(now, before)};
}

PairedMaps pair_all(const PairQuestion& question, const StopFlag& stop) {
    const TokenFinder::Said &now = *question.now, &before = *question.before;
    PairedMaps all;
    const Trace &from = *now.question.trace, &to = *before.question.trace;
    for (std::size_t q = 0; q <= now.question.also.size(); ++q) {
        all.pairs.emplace_back();
        all.reach.push_back(0);
        for (const HeadPlace& place : heads_in(now)) {
            throw_if_stopped(stop);
            const auto other = same_head(from, to, place);
            if (!other) continue;
            const MatrixView a = patches_in(now, place, q), b = patches_in(before, *other, q);
            if (a.empty() || a.rows != b.rows || a.cols != b.cols) continue;
            MapPair& pair = all.pairs[q][place] = pair_maps(a, b);
            // A head may shift attention between patches and prefix tokens only.
            if (from.layout.class_tokens == to.layout.class_tokens &&
                from.layout.prefix() == to.layout.prefix())
                pair.variation =
                    total_variation(tokens_in(now, place, q), tokens_in(before, *other, q));
            all.reach[q] = std::max(all.reach[q], reach_of(pair.difference->view()));
        }
    }
    if (all.pairs.front().empty())
        return {.why_not = why_not(now, before), .unpaired = "", .pairs = {}, .reach = {}};
    all.unpaired = unpaired(now, before);
    return all;
}

const PairFinder kPairedMaps{
    .compute = [](const PairQuestion& question, const PairFinder::Run& run) {
        return pair_all(question, run.stop);
    }};

}  // namespace headlight

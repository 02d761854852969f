#include "gradient/map_curves.h"

#include <algorithm>

#include "kernels/in_quotes.h"
#include "patches/token_words.h"
#include "program/values.h"

namespace headlight {

std::string ranking_name(const PatchRanking& ranking) {
    return std::string(ranking ? name_of(*ranking) : kRandomOrder);
}

std::string ranking_title(const PatchRanking& ranking) {
    return ranking ? std::string(info(*ranking).title) : "random order";
}

std::string all_patch_rankings() {
    std::string names;
    for (const std::string_view name : names_of<MapMethod>()) names += std::string(name) + ", ";
    return names + std::string(kRandomOrder);
}

std::vector<PatchRanking> patch_rankings_named(const std::string& option, const std::string& text) {
    std::vector<PatchRanking> rankings;
    for (std::string word : words_of_list(text)) {
        std::ranges::replace(word, '-', '_');
        const PatchRanking ranking = value_named<MapMethod>(word);
        if (!ranking && word != kRandomOrder)
            throw ValueError(option + ": expected one or more of " + all_patch_rankings() +
                             ", found " + in_quotes(word) + ".");
        if (std::ranges::find(rankings, ranking) != rankings.end())
            throw ValueError(option + ": expected each method once, found " + in_quotes(word) +
                             " twice.");
        rankings.push_back(ranking);
    }
    return rankings;
}

MapCurves map_curves(const Trace& front, const Counterfactual& change,
                     const MapCurvesQuestion& question, const StopFlag& stop,
                     const MapCurvesProgress& progress) {
    ClassMapQuestion of_map;
    // Also a random order needs the class and the number of patches.
    of_map.method = question.ranking.value_or(MapMethod::last_attention);
    of_map.of_class = question.of_class;
    const ClassMap map = class_map(front, change, of_map, stop, [&](const std::string& layer) {
        if (progress) progress(layer, 0);
    });
    const auto patches = static_cast<int>(map.cells.size());
    MapCurves found{
        *map.about, question.ranking && map.is_zero(), patches_taken(patches, question.steps), {}};
    found.curves = deletion_curves(
        front, change,
        {map.grid, question.ranking ? order_of(map.cells) : random_order(patches, question.seed),
         map.about->index, question.hiding, question.steps},
        stop, [&](float part) {
            if (progress) progress(std::to_string(static_cast<int>(100 * part)) + " %", part);
        });
    return found;
}

}  // namespace headlight

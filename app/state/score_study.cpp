#include "state/score_study.h"

#include <algorithm>
#include <cmath>

namespace headlight {

const ScoreFinder kScores{
    .compute = [](const ScoreQuestion& question, const ScoreFinder::Run& run) {
        const AttentionShape& shape = question.trace->shape;
        std::vector<StudiedScore> studied;
        for (ScoreMap& map : maps_of_scores(*question.trace, question.recipe, run.stop)) {
            StudiedScore score{.map = std::move(map), .heads = {}};
            if (score.map.scores)
                for (Index head = 0; head < shape.heads; ++head) {
                    throw_if_stopped(run.stop);
                    const MatrixView all = score.map.scores->view();
                    score.heads.push_back(
                        statistics(all.block(head * shape.queries, 0, shape.queries, shape.keys)));
                }
            studied.push_back(std::move(score));
        }
        return studied;
    }};

const SpreadFinder kSpreads{
    .compute = [](const SpreadQuestion& question, const SpreadFinder::Run& run) {
        const Trace& trace = *question.trace;
        const MatrixView queries = trace.view(Tensor::query, 0, question.head),
                         keys = trace.view(Tensor::key, 0, question.head);
        SpreadStudy study{.tokens = std::min(keys.rows, kMostDrawn)};
        study.widths = spreads_by_width(study.tokens, question.seed, run.stop);
        study.own = {static_cast<int>(queries.cols), spread_of_scores(queries, keys, 1),
                     spread_of_scores(queries, keys, 1 / std::sqrt(queries.cols))};
        return study;
    }};

}  // namespace headlight

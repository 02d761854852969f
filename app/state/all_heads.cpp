#include "state/all_heads.h"

#include <chrono>
#include <utility>

#include "analysis/similarity.h"
#include "encoder/lens.h"

namespace headlight {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<SharedResult> maps_of(const TokenQuestion& q, const StopFlag& stop) {
    const auto& kept = q.summary->kept;
    const auto first = static_cast<std::size_t>(q.trace->model->token_transformers());
    std::vector<SharedResult> maps(kept.size());
    for (std::size_t b = first; b < kept.size(); ++b) {
        throw_if_stopped(stop);
        if (!kept[b] || q.token >= kept[b]->layout().count()) continue;
        maps[b] = make_result(q.reading == Reading::from ? kept[b]->of_query(q.token, stop)
                                                         : kept[b]->of_key(q.token, stop));
    }
    return maps;
}

// Of the first sample; the window has no other.
SharedResult likeness_of(const Trace& trace, Index token, const StopFlag& stop) {
    const auto first = static_cast<std::size_t>(trace.model->token_transformers());
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

}  // namespace

TokenInLayers look_through_layers(const TokenQuestion& q, const StopFlag& stop) {
    TokenInLayers all;
    const auto start = Clock::now();
    all.maps = maps_of(q, stop);
    all.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    all.likeness = likeness_of(*q.trace, q.token, stop);
    if (has_lens(*q.trace->model) && all.likeness) all.lens = logit_lens(*q.trace, q.token, stop);
    return all;
}

std::unique_ptr<TokenReader> make_token_reader() {
    return std::make_unique<TokenReader>(
        [](const TokenQuestion& question, std::atomic<float>&, const StopFlag& stop) {
            return look_through_layers(question, stop);
        });
}

std::unique_ptr<EffectFinder> make_effect_finder() {
    return std::make_unique<EffectFinder>(
        [](const EffectQuestion& q, std::atomic<float>& progress, const StopFlag& stop) {
            return ablate_heads(
                *q.trace, q.change, q.of_class, [&](float part) { progress = part; }, stop);
        });
}

}  // namespace headlight

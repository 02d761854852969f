#include "encoder/token_maps.h"

#include "analysis/error.h"

namespace headlight {

namespace {

void begin(TokenMaps& maps, const Trace& layer, const TokenMapsQuestion& question) {
    maps.grid = layer.grid;
    maps.layout = layer.layout;
    maps.token = question.token(layer.layout);
    maps.heads = layer.shape.heads;
}

void add(TokenMaps& maps, const Trace& layer, bool read_by) {
    const Index prefix = maps.layout.prefix(), n = maps.layout.count();
    for (Index h = 0; h < maps.heads; ++h) {
        const MatrixView attention = layer.view(Tensor::attention, 0, h);
        for (Index j = prefix; j < n; ++j)
            maps.numbers.push_back(read_by ? attention(j, maps.token) : attention(maps.token, j));
    }
}

}  // namespace

MatrixView TokenMaps::map(std::size_t layer, Index head) const {
    const std::size_t cells = static_cast<std::size_t>(grid.count());
    const std::size_t at =
        (layer * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head)) * cells;
    return {numbers.data() + at, grid.rows, grid.cols, grid.cols};
}

TokenMaps token_maps(Trace front, const Counterfactual& change, const TokenMapsQuestion& question,
                     const StopFlag& stop) {
    TokenMaps maps;
    maps.image = front.image;
    const std::shared_ptr<const Model> kept = front.model;
    const Model& model = *kept;
    const auto take = [&](const Trace& layer) {
        if (layer.layer < model.token_transformers()) return;
        if (maps.layers.empty()) begin(maps, layer, question);
        if (layer.shape.heads != maps.heads || !(layer.layout == maps.layout))
            throw AnalysisError(
                "expected layers of one number of heads and patches, found others.");
        add(maps, layer, question.read_by);
        maps.layers.push_back(model.layers[static_cast<std::size_t>(layer.layer)].name);
        if (question.progress) question.progress(maps.layers.back());
    };
    run_encoder(std::move(front), change, take, stop);
    throw_if_stopped(stop);
    return maps;
}

}  // namespace headlight

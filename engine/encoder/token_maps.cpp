#include "encoder/token_maps.h"

#include <algorithm>

#include "analysis/error.h"
#include "analysis/statistics.h"
#include "model/stages.h"

namespace headlight {

namespace {

std::vector<TokenMaps> begin(const Trace& layer, const std::shared_ptr<const Image>& image,
                             const TokenMapsQuestion& question) {
    TokenMaps maps;
    maps.image = image;
    maps.grid = layer.grid;
    maps.layout = layer.layout;
    maps.heads = layer.shape.heads;
    for (Index h = 1; h <= maps.heads; ++h) maps.names.push_back("head " + std::to_string(h));
    std::vector<TokenMaps> all;
    for (const Index token : question.tokens(places_of(layer))) {
        maps.token = token;
        all.push_back(maps);
    }
    return all;
}

void add(TokenMaps& maps, const Trace& layer, bool read_by) {
    const Index prefix = maps.layout.prefix(), n = maps.layout.count();
    for (Index h = 0; h < maps.heads; ++h) {
        const MatrixView attention = layer.view(Tensor::attention, 0, h);
        for (Index j = prefix; j < n; ++j)
            maps.numbers.push_back(read_by ? attention(j, maps.token) : attention(maps.token, j));
    }
}

// "heads 1, 3", counted from 1; the number of heads if there are more than four.
std::string name_of_heads(const std::vector<int>& heads) {
    if (heads.size() > 4) return std::to_string(heads.size()) + " heads";
    std::string name = heads.size() == 1 ? "head " : "heads ";
    for (const int head : heads) {
        if (head != heads.front()) name += ", ";
        name += std::to_string(head + 1);
    }
    return name;
}

// All maps stacked by row, [layers · heads · grid.rows, grid.cols].
MatrixView all_of(const TokenMaps& maps) {
    const Index cols = maps.grid.cols;
    return {maps.numbers.data(), static_cast<Index>(maps.numbers.size()) / cols, cols, cols};
}

std::string words_of_heads(const TokenMaps& maps) {
    const auto count = [](std::size_t n, const char* what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    return count(maps.layers.size(), "layer") + " of " +
           count(static_cast<std::size_t>(maps.heads), "head");
}

float combined_cell(const std::vector<MatrixView>& maps, Index row, Index col, Combine how) {
    double sum = 0;
    float most = maps.front()(row, col), least = most;
    for (const MatrixView& map : maps) {
        const float cell = map(row, col);
        sum += cell;
        most = std::max(most, cell);
        least = std::min(least, cell);
    }
    if (how == Combine::max) return most;
    if (how == Combine::min) return least;
    return static_cast<float>(sum / static_cast<double>(maps.size()));
}

}  // namespace

TokenMaps combined(const TokenMaps& maps, const std::vector<int>& heads, Combine how) {
    TokenMaps one = maps;
    one.heads = 1;
    one.names = {std::string(name_of(how)) + " of " + name_of_heads(heads)};
    one.numbers.clear();
    for (std::size_t layer = 0; layer < maps.layers.size(); ++layer) {
        std::vector<MatrixView> views;
        for (const int head : heads) views.push_back(maps.map(layer, head));
        for (Index r = 0; r < maps.grid.rows; ++r)
            for (Index c = 0; c < maps.grid.cols; ++c)
                one.numbers.push_back(combined_cell(views, r, c, how));
    }
    return one;
}

TokenMaps chosen_maps(const TokenMaps& maps, const std::vector<int>& layers,
                      const std::vector<int>& heads) {
    TokenMaps chosen = maps;
    chosen.heads = std::ssize(heads);
    chosen.names.clear();
    chosen.layers.clear();
    chosen.numbers.clear();
    for (const int head : heads) chosen.names.push_back(maps.names[static_cast<std::size_t>(head)]);
    for (const int layer : layers) {
        const auto index = static_cast<std::size_t>(layer);
        chosen.layers.push_back(maps.layers[index]);
        for (const int head : heads) {
            const MatrixView map = maps.map(index, head);
            chosen.numbers.insert(chosen.numbers.end(), map.data, map.data + maps.grid.count());
        }
    }
    return chosen;
}

std::string why_no_difference(const PatchGrid& now, const PatchGrid& before) {
    const auto words = [](const PatchGrid& grid) {
        return std::to_string(grid.rows) + " × " + std::to_string(grid.cols);
    };
    return "There is no difference map, because this result has " + words(now) +
           " patches and the baseline has " + words(before) + ".";
}

TokenMaps difference(const TokenMaps& now, const TokenMaps& before) {
    if (now.grid.rows != before.grid.rows || now.grid.cols != before.grid.cols)
        throw AnalysisError(why_no_difference(now.grid, before.grid));
    if (now.layers.size() != before.layers.size() || now.heads != before.heads)
        throw AnalysisError("There is no difference map, because this result has " +
                            words_of_heads(now) + " and the baseline has " +
                            words_of_heads(before) + ".");
    TokenMaps less = now;
    const Matrix cells = difference(all_of(now), all_of(before));
    less.numbers.assign(cells.data(), cells.data() + cells.size());
    return less;
}

MatrixView TokenMaps::map(std::size_t layer, Index head) const {
    const std::size_t cells = static_cast<std::size_t>(grid.count());
    const std::size_t at =
        (layer * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head)) * cells;
    return {numbers.data() + at, grid.rows, grid.cols, grid.cols};
}

void expect_alike_layers(const Model& model) {
    if (model.has_merges())
        throw AnalysisError("expected layers with the same number of heads and patches, found " +
                            stages_text(model) + ".");
}

std::vector<TokenMaps> token_maps(Trace front, const Counterfactual& change,
                                  const TokenMapsQuestion& question, const StopFlag& stop) {
    std::vector<TokenMaps> all;
    const std::shared_ptr<const Image> image = front.image;
    const std::shared_ptr<const Model> kept = front.model;
    const Model& model = *kept;
    expect_alike_layers(model);
    const auto take = [&](const Trace& layer) {
        if (layer.layer < model.token_transformers()) return;
        if (all.empty()) all = begin(layer, image, question);
        const std::string& name = model.layers[static_cast<std::size_t>(layer.layer)].name;
        for (TokenMaps& maps : all) {
            if (layer.shape.heads != maps.heads || !(layer.layout == maps.layout))
                throw AnalysisError(
                    "expected layers with the same number of heads and patches, found different "
                    "ones.");
            add(maps, layer, question.read_by);
            maps.layers.push_back(name);
        }
        if (question.progress) question.progress(name);
    };
    Runner::run({std::move(front), change}, take, stop);
    throw_if_stopped(stop);
    return all;
}

}  // namespace headlight

#include "gradient/class_map_set.h"

#include <algorithm>

#include "analysis/error.h"
#include "encoder/run_scene.h"

namespace headlight {

namespace {

std::string in_words(const PatchGrid& grid) {
    return std::to_string(grid.rows) + " × " + std::to_string(grid.cols);
}

}  // namespace

void ClassMapSet::add(MapMethod method, const ClassMap& map,
                      const std::shared_ptr<const Image>& image, const Model& model) {
    const std::string title(info(method).title);
    if (maps.heads == 0) {
        maps.image = image;
        maps.grid = map.grid;
        maps.layers = {""};
        maps.layout.class_tokens = 1;
        maps.layout.patches = map.grid.count();
    } else if (map.grid.rows != maps.grid.rows || map.grid.cols != maps.grid.cols) {
        throw AnalysisError("Expected maps of " + in_words(maps.grid) + " patches, found " +
                            in_words(map.grid) + " of " + title + ". Draw that map alone.");
    }
    ++maps.heads;
    methods.push_back(method);
    maps.names.push_back(title);
    maps.numbers.insert(maps.numbers.end(), map.cells.data(), map.cells.data() + map.cells.size());
    if (map.about && asks_for_class(method)) of_class = class_name(model, map.about->index);
}

std::vector<int> heads_to_read(const ClassMapQuestion& question, const NumberRanges& heads,
                               const Model& model) {
    if (heads.all()) return {};
    std::vector<int> chosen;
    const bool last_alone = !starts_at_a_layer(question.method);
    const auto first = static_cast<std::size_t>(model.token_transformers());
    for (const int layer : question.layers)
        if (!last_alone || layer == question.layers.back())
            chosen = heads.of(model.layers[first + static_cast<std::size_t>(layer)].attention.heads,
                              "heads");
    std::ranges::sort(chosen);
    return chosen;
}

}  // namespace headlight

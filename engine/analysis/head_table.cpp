#include "analysis/head_table.h"

#include <limits>
#include <string_view>
#include <utility>

namespace headlight {

std::string layer_in_tables(const Layer& layer) {
    constexpr std::string_view kWord = "Layer ";
    return layer.name.starts_with(kWord) ? layer.name.substr(kWord.size()) : layer.name;
}

std::string stream_in_tables(const Model& model, int step) {
    const int layer = model.alike_from() + step - 1;  // the layer just before this step
    return layer < model.token_transformers()
               ? "0"
               : layer_in_tables(model.layers[static_cast<std::size_t>(layer)]);
}

NumberTable table_of_heads(const Summary& summary, const Model& model, const TokenLayout& layout) {
    NumberTable table{{"layer", "head"}, {}, {}, {}};
    for (const HeadMeasureInfo& measure : run_measures()) table.columns.push_back(measure.column());
    for (std::size_t b = 0; b < summary.layers.size(); ++b)
        for (std::size_t h = 0; h < summary.layers[b].size(); ++h) {
            std::vector<double> numbers;
            for (const HeadMeasureInfo& measure : run_measures())
                numbers.push_back(measure.is_possible(model, layout)
                                      ? summary.layers[b][h][measure.id]
                                      : std::numeric_limits<double>::quiet_NaN());
            table.add({layer_in_tables(model.layers[b]), std::to_string(h + 1)},
                      std::move(numbers));
        }
    return table;
}

}  // namespace headlight

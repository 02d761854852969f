#include "analysis/head_table.h"

#include <array>
#include <string_view>
#include <utility>

namespace headlight {

namespace {

struct Column {
    const char* name;
    double HeadNumbers::*number;
};
constexpr std::array kColumns{Column{"entropy, bit", &HeadNumbers::entropy},
                              Column{"distance, pixels", &HeadNumbers::distance},
                              Column{"on the class token", &HeadNumbers::class_mass},
                              Column{"on the distillation token", &HeadNumbers::distillation_mass},
                              Column{"on registers", &HeadNumbers::register_mass},
                              Column{"on itself", &HeadNumbers::self_mass},
                              Column{"on neighbours", &HeadNumbers::neighbour_mass}};

}  // namespace

std::string layer_in_tables(const Layer& layer) {
    constexpr std::string_view kWord = "Layer ";
    return layer.name.starts_with(kWord) ? layer.name.substr(kWord.size()) : layer.name;
}

std::string stream_in_tables(const Model& model, int step) {
    const int layer = model.alike_from() + step - 1;  // that has just been left
    return layer < model.token_transformers()
               ? "0"
               : layer_in_tables(model.layers[static_cast<std::size_t>(layer)]);
}

NumberTable table_of_heads(const Summary& summary, const Model& model) {
    NumberTable table{{"layer", "head"}, {}, {}, {}};
    for (const Column& column : kColumns) table.columns.emplace_back(column.name);
    for (std::size_t b = 0; b < summary.layers.size(); ++b)
        for (std::size_t h = 0; h < summary.layers[b].size(); ++h) {
            std::vector<double> numbers;
            for (const Column& column : kColumns)
                numbers.push_back(summary.layers[b][h].*column.number);
            table.add({layer_in_tables(model.layers[b]), std::to_string(h + 1)},
                      std::move(numbers));
        }
    return table;
}

std::string head_table(const Summary& summary, const Model& model, char between) {
    return text_of(table_of_heads(summary, model), between);
}

}  // namespace headlight

#include <array>
#include <charconv>
#include <cmath>

#include "analysis/summary.h"

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
                              Column{"on itself", &HeadNumbers::self_mass}};

// As many digits as give it back exactly.
void append(std::string& text, double number) {
    if (std::isnan(number)) return;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(digits.data(), end);
}

}  // namespace

std::string head_table(const Summary& summary, const Model& model, char between) {
    std::string text = std::string("layer") + between + "head";
    for (const Column& column : kColumns) text += between + std::string(column.name);
    text += '\n';
    for (std::size_t b = 0; b < summary.layers.size(); ++b)
        for (std::size_t h = 0; h < summary.layers[b].size(); ++h) {
            text += model.layers[b].name + between + std::to_string(h + 1);
            for (const Column& column : kColumns) {
                text += between;
                append(text, summary.layers[b][h].*column.number);
            }
            text += '\n';
        }
    return text;
}

}  // namespace headlight

#include "program/ordinals.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "model/model.h"
#include "program/values.h"

namespace headlight {

namespace {

constexpr char kTransformer = 'T';

int head_count(const Model& model, int layer) {
    return model.layers[static_cast<std::size_t>(layer)].attention.heads;
}

}  // namespace

int parse_ordinal(std::string_view what, std::string_view text, int count,
                  std::string_view things) {
    if (text == "0")
        throw ValueError(std::string(what) + ": expected an integer from 1 to " +
                         std::to_string(count) + ", found \"0\": " + std::string(things) +
                         " count from 1.");
    return parse_integer(what, text, 1, count) - 1;
}

std::string layer_number(const Model& model, int layer) {
    const int first = model.token_transformers();
    return layer < first ? kTransformer + std::to_string(layer + 1)
                         : std::to_string(layer - first + 1);
}

int parse_layer(std::string_view what, std::string_view text, const Model& model) {
    const int first = model.token_transformers();
    if (first > 0 && text.starts_with(kTransformer)) {
        for (int layer = 0; layer < first; ++layer)
            if (text == layer_number(model, layer)) return layer;
        refuse_value(what, "T1 to T" + std::to_string(first) + " for a token transformer", text);
    }
    const int count = static_cast<int>(model.layers.size()) - first;
    return first + parse_ordinal(what, text, count, "layers");
}

std::string heads_text(const std::vector<HeadPlace>& heads, const Model* model) {
    std::string text;
    for (const auto& [layer, head] : heads)
        text += (text.empty() ? "" : " ") +
                (model != nullptr ? layer_number(*model, layer) : std::to_string(layer + 1)) + '.' +
                std::to_string(head + 1);
    return text.empty() ? "none" : text;
}

std::vector<HeadPlace> parse_heads(std::string_view what, const std::string& text,
                                   const Model* model) {
    constexpr int kAny = std::numeric_limits<int>::max();
    std::vector<HeadPlace> heads;
    if (text == "none") return heads;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t point = std::min(word.find('.'), word.size());
        if (point == word.size()) refuse_value(what, "none or heads as LAYER.HEAD", text);
        const std::string_view whole = word, before = whole.substr(0, point);
        const int layer = model != nullptr ? parse_layer(what, before, *model)
                                           : parse_ordinal(what, before, kAny, "layers");
        const int count = model != nullptr ? head_count(*model, layer) : kAny;
        heads.push_back({layer, parse_ordinal(what, whole.substr(point + 1), count, "heads")});
    }
    if (heads.empty()) refuse_value(what, "none or heads as LAYER.HEAD", text);
    std::sort(heads.begin(), heads.end());
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    return heads;
}

}  // namespace headlight

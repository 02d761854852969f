#include "model/map_facts.h"

#include <string>

namespace headlight {

namespace {

constexpr const char* kToChange = "; set grid to change it";

std::string origin_of(const Model& maps, const MapLayout& layout, bool of_picture) {
    if (maps.map_layout.grid) return maps.map_layout_origin;
    std::string origin = layout.why + (of_picture ? "" : ", the best guess without a picture");
    if (maps.map_layout.before) origin += "; tokens before: " + maps.map_layout_origin;
    return origin + kToChange;
}

}  // namespace

std::vector<ModelFact> map_facts(const Model& maps, const std::optional<PictureSize>& picture) {
    const Index tokens = maps.maps.front()->view().cols;
    const std::vector<MapLayout> fitting = map_layouts(tokens, maps.map_layout, picture);
    if (fitting.empty())
        return {{"patches", picture ? "no grid fits the picture" : "the picture decides",
                 picture ? "set grid or tokens_before" : "the tokens do not form a square grid"}};
    std::vector<ModelFact> facts{{"patches", fitting.front().words(),
                                  origin_of(maps, fitting.front(), picture.has_value())}};
    for (const MapLayout& other : other_layouts(fitting))
        facts.push_back({"also fits", other.words(), other.why});
    return facts;
}

std::string layout_choice(const Model& maps, const PictureSize& picture) {
    const Index tokens = maps.maps.front()->view().cols;
    const std::vector<MapLayout> fitting = map_layouts(tokens, maps.map_layout, picture);
    const std::vector<MapLayout> others = other_layouts(fitting);
    if (others.empty()) return "";
    std::string also;
    for (const MapLayout& other : others) also += (also.empty() ? "" : "; ") + other.words();
    return maps.file + ": " + std::to_string(tokens) + " tokens placed on the picture as " +
           fitting.front().words() + " (" + fitting.front().why + "). Also possible: " + also +
           ". To choose: --grid " + grid_text(others.front().grid) + " --tokens-before " +
           std::to_string(others.front().before) + ".";
}

}  // namespace headlight

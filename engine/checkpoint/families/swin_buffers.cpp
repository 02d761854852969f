#include "families/swin_buffers.h"

#include <algorithm>
#include <vector>

#include "model/builder.h"

namespace headlight {

namespace {

// The table row for every two tokens of a window, query by query.
std::vector<float> offsets_in(int size) {
    const int area = size * size, across = 2 * size - 1;
    std::vector<float> offsets;
    for (int query = 0; query < area; ++query)
        for (int key = 0; key < area; ++key) {
            const int down = query / size - key / size, right = query % size - key % size;
            offsets.push_back(static_cast<float>((down + size - 1) * across + right + size - 1));
        }
    return offsets;
}

// True if the numbers are the mask of shifted windows on a map of this size.
bool is_mask_of(const std::vector<float>& numbers, const Windows& windows, MapSize map) {
    const std::vector<Index> tokens = tokens_by_window(windows, Index{map.rows} * map.cols);
    const auto area = static_cast<std::size_t>(windows.size()) * windows.size();
    std::size_t at = 0;
    for (std::size_t query = 0; query < tokens.size(); ++query) {
        const std::size_t first = query / area * area;
        for (std::size_t key = first; key < first + area; ++key, ++at) {
            const bool apart = windows.are_apart(tokens[query], tokens[key]);
            if (numbers[at] != (apart ? Windows::kApart : 0)) return false;
        }
    }
    return true;
}

}  // namespace

void expect_offsets(TensorReader& layer, const std::string& name, int size) {
    const Index area = Index{size} * size;
    const bool is_flat = layer.has_shape(name, {area * area});
    const std::vector<float> found =
        layer.buffer(name, is_flat ? TensorShape{area * area} : TensorShape{area, area});
    const std::vector<float> expected = offsets_in(size);
    const auto [wrong, right] = std::ranges::mismatch(found, expected);
    if (wrong == found.end()) return;
    const auto at = static_cast<Index>(wrong - found.begin());
    layer.refuse(name,
                 text_of(*right) + " for tokens " + std::to_string(at / area) + " and " +
                     std::to_string(at % area) + " of a window of " + std::to_string(size) + " × " +
                     std::to_string(size),
                 text_of(*wrong));
}

MapSize map_of_mask(TensorReader& layer, const std::string& name, const Window& window) {
    const TensorShape shape = layer.shape(name, 3, "[windows, tokens, tokens]");
    const Index area = Index{window.size} * window.size;
    const std::vector<float> numbers = layer.buffer(name, {shape[0], area, area});
    // The most square map first.
    std::vector<MapSize> maps;
    for (Index down = 1; down <= shape[0]; ++down)
        if (shape[0] % down == 0)
            maps.push_back({static_cast<int>(down * window.size),
                            static_cast<int>(shape[0] / down * window.size)});
    std::ranges::stable_sort(maps, {}, [](MapSize map) { return std::max(map.rows, map.cols); });
    for (const MapSize map : maps) {
        const Windows windows(window, {0, map.rows, map.cols});
        if (windows.is_shifted() && is_mask_of(numbers, windows, map)) return map;
    }
    layer.refuse(name,
                 "−100 for tokens of different regions in shifted windows of " +
                     std::to_string(window.size) + " × " + std::to_string(window.size) + ", else 0",
                 "other numbers");
}

}  // namespace headlight

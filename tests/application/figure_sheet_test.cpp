#include "export/figure_sheet.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace headlight::app {
namespace {

// Two heads of one layer, with 1 × 2 patches.
TokenMaps two_maps() {
    TokenMaps maps;
    maps.image = std::make_shared<const Image>();
    maps.grid.rows = 1;
    maps.grid.cols = 2;
    maps.heads = 2;
    maps.names = {"head 1", "head 2"};
    maps.layers = {"layer 1"};
    maps.numbers = {0.25F, 0.75F, 0.5F, 0.5F};
    return maps;
}

FigureSheet sheet_of_class_maps() {
    FigureOptions options;
    options.class_maps = {{MapMethod::relevance, MapMethod::grad_cam}, "ring"};
    options.look.figure.layers = options.look.figure.heads = "all";
    MapsOfBoth both;
    both.now = {two_maps()};
    return figure_sheet(std::move(both), options);
}

// A renderer keeps textures of earlier figures by address and version, and memory is reused: a
// figure with a version of an earlier one could show that one's maps.
TEST(FigureSheet, maps_share_no_version_with_those_of_other_figures) {
    std::set<std::uint64_t> versions;
    std::size_t maps = 0;
    for (int figure = 0; figure < 3; ++figure)
        for (const figure::MapSheet::Map& map : sheet_of_class_maps().sheet.maps) {
            versions.insert(map.cells.version);
            ++maps;
        }
    EXPECT_EQ(maps, 6U);
    EXPECT_EQ(versions.size(), maps);
    EXPECT_FALSE(versions.contains(0));
}

}  // namespace
}  // namespace headlight::app

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "encoder/run_scene.h"
#include "measures/computed_measures.h"
#include "pane.h"
#include "walks.h"

// In which order the Heads screen shows the maps, which of them a filter hides, and where they are.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;

using Head = std::pair<int, int>;  // layer and head, from 1

// −Σ a log2 a over the keys, the mean over the queries, for each head of each layer.
std::map<Head, double> entropies(Desk& desk) {
    std::map<Head, double> found;
    for (int layer = 1; layer <= std::ssize(desk->trace()->model->layers); ++layer) {
        EXPECT_TRUE(desk.does("layer " + std::to_string(layer)));
        for (int head = 0; head < desk->trace()->model->layers.front().attention.heads; ++head) {
            const MatrixView all = desk->trace()->view(Tensor::attention, 0, head);
            double sum = 0;
            for (Index query = 0; query < all.rows; ++query)
                for (Index key = 0; key < all.cols; ++key)
                    if (const double a = all(query, key); a > 0) sum -= a * std::log2(a);
            found[{layer, head + 1}] = sum / static_cast<double>(all.rows);
        }
    }
    return found;
}

class HeadsOrder : public ::testing::Test {
  protected:
    HeadsOrder() {
        say_all(desk, testing::all_walks()[1].open);
        say_all(desk, {"set screen heads"});
    }

    // The maps in reading order: rows from top to bottom, each from left to right.
    std::vector<Head> shown(PaneSize size = {1600, 1000}) {
        pane.draw_until_answered(desk, size, 1);
        std::vector<std::pair<ui::Rect, Head>> maps;
        for (const auto& [name, named] : pane.ui().names())
            if (int layer = 0, head = 0;
                std::sscanf(name.c_str(), "heads.map.%d.%d", &layer, &head) == 2)
                maps.push_back({named.rect, {layer, head}});
        std::ranges::sort(maps, {},
                          [](const auto& map) { return std::pair(map.first.y, map.first.x); });
        places.clear();
        std::vector<Head> heads;
        for (const auto& [rect, head] : maps) {
            places.push_back(rect);
            heads.push_back(head);
        }
        return heads;
    }

    Desk desk{testing::cat(), testing::read_source};
    Pane pane;
    std::vector<ui::Rect> places;  // of the maps that were shown last
};

TEST_F(HeadsOrder, by_layer_is_a_row_for_each_layer) {
    std::vector<Head> expected;
    for (const auto& [head, entropy] : entropies(desk)) expected.push_back(head);
    EXPECT_EQ(shown(), expected);
}

TEST_F(HeadsOrder, by_entropy_begins_with_the_largest) {
    const std::map<Head, double> measured = entropies(desk);
    ASSERT_TRUE(desk.does("set heads_order entropy"));
    const std::vector<Head> heads = shown();
    ASSERT_EQ(heads.size(), measured.size());
    for (std::size_t i = 1; i < heads.size(); ++i)
        EXPECT_GE(measured.at(heads[i - 1]) + 1e-5, measured.at(heads[i])) << i;
}

// The measure's own function, for the predicted class. Changes are in the order of their size.
TEST_F(HeadsOrder, by_a_computed_measure_begins_with_the_largest) {
    ASSERT_TRUE(desk.does("layer 4"));
    const auto trace = desk->trace();
    const Counterfactual change = counterfactual_of(desk->trace_recipe(), *trace->model);
    for (const ComputedMeasure& measure : computed_measures()) {
        const HeadMeasureInfo& row = info(measure.id);
        SCOPED_TRACE(row.label);
        ASSERT_TRUE(measure.possible(*trace->model, change));
        const HeadValues values =
            measure.compute({*trace, change, desk->summary()->top.front().index});
        ASSERT_TRUE(desk.does("set heads_order " + std::string(name_of(measure.id))));
        const std::vector<Head> heads = shown();
        std::size_t count = 0;
        for (const auto& layer : values) count += layer.size();
        ASSERT_EQ(heads.size(), count);
        const auto rank = [&](const Head& head) {
            const double value = values[static_cast<std::size_t>(head.first - 1)]
                                       [static_cast<std::size_t>(head.second - 1)];
            return row.has_sign ? std::abs(value) : value;
        };
        for (std::size_t i = 1; i < heads.size(); ++i)
            EXPECT_GE(rank(heads[i - 1]) + 1e-6, rank(heads[i])) << i;
    }
}

TEST_F(HeadsOrder, a_filter_leaves_the_heads_on_its_side_of_the_bound) {
    const std::map<Head, double> measured = entropies(desk);
    say_all(desk, {"set heads_order entropy", "set heads_filter_by entropy"});
    for (const char* side : {"least", "most"})
        for (const double bound : {2.0, 4.0, 5.0}) {
            say_all(desk, {std::string("set heads_filter ") + side,
                           "set heads_bound " + std::to_string(bound)});
            const std::vector<Head> heads = shown();
            for (const auto& [head, entropy] : measured)
                EXPECT_EQ(std::ranges::find(heads, head) != heads.end(),
                          std::string(side) == "least" ? entropy >= bound : entropy <= bound)
                    << side << ' ' << bound << ": " << head.first << '.' << head.second << " has "
                    << entropy;
        }
}

TEST_F(HeadsOrder, maps_have_one_size_and_do_not_overlap) {
    for (const char* order : {"layer", "entropy"}) {
        ASSERT_TRUE(desk.does(std::string("set heads_order ") + order));
        for (const PaneSize size : {PaneSize{1600, 1000}, {1280, 720}, {1024, 768}, {3840, 2160}}) {
            ASSERT_FALSE(shown(size).empty());
            for (std::size_t i = 0; i < places.size(); ++i) {
                EXPECT_EQ(places[i].w, places[0].w);
                EXPECT_EQ(places[i].h, places[0].h);
                for (std::size_t j = i + 1; j < places.size(); ++j)
                    EXPECT_TRUE(places[i].common(places[j]).empty())
                        << order << ' ' << size.width << ": " << i << " and " << j;
            }
        }
    }
}

}  // namespace
}  // namespace headlight

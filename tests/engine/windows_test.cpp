#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/kept_attention.h"
#include "cells.h"
#include "encoder/layers.h"
#include "encoder/runner.h"
#include "naive.h"
#include "ops/ops.h"
#include "ops/picture.h"
#include "ops/scores.h"
#include "positions/relative.h"
#include "trace/token_rows.h"

// Compares Swin's windows and merges with its authors' method: a map is rolled and partitioned into
// windows; each gets its bias and −100 between regions that are not adjacent.
namespace headlight::windows_test {
namespace {

constexpr int kPatch = 2, kWindow = 3;

SharedResult drawn(Index rows, Index cols, std::uint32_t seed, float size = 0.5F) {
    return make_result(naive::random_matrix(rows, cols, seed, size));
}

Norm norm_of(Index width, std::uint32_t seed) {
    return {drawn(1, width, seed, 1), drawn(1, width, seed + 1), 1e-5F};
}

Layer layer_of(int b, int width, int heads, std::uint32_t seed) {
    Layer layer;
    name_layer(layer, b);
    layer.attention.dim = layer.attention.channels = width;
    layer.attention.heads = heads;
    layer.attention.qkv_bias = true;
    layer.attention.skip = Skip::input;
    layer.window = {kWindow, b % 2 == 0 ? 0 : kWindow / 2};
    layer.norm1 = norm_of(width, seed);
    layer.qkv = {drawn(3 * width, width, seed + 2), drawn(1, 3 * width, seed + 3)};
    layer.relative_bias = {drawn(relative_offsets(kWindow, kWindow), heads, seed + 4, 2), kWindow,
                           kWindow};
    layer.projection = {drawn(width, width, seed + 5), drawn(1, width, seed + 6)};
    layer.norm2 = norm_of(width, seed + 7);
    layer.mlp_in = {drawn(2 * width, width, seed + 9), drawn(1, 2 * width, seed + 10)};
    layer.mlp_out = {drawn(width, 2 * width, seed + 11), drawn(1, width, seed + 12)};
    return layer;
}

// Two stages of two layers; pictures of a multiple of 12 pixels.
std::shared_ptr<Model> swin() {
    auto model = std::make_shared<Model>();
    model->file = "swin.safetensors";
    model->patch_size = kPatch;
    model->embedding = {drawn(6, 3 * kPatch * kPatch, 1), drawn(1, 6, 2)};
    model->pre_norm = norm_of(6, 3);
    for (int b = 0; b < 4; ++b) {
        const int width = b < 2 ? 6 : 12, heads = b < 2 ? 2 : 3;
        model->layers.push_back(layer_of(b, width, heads, 100 * static_cast<unsigned>(b + 1)));
    }
    model->layers[2].merge = {norm_of(24, 7), {drawn(12, 24, 9), nullptr}};
    model->norm = norm_of(12, 11);
    model->pooling = Pooling::patches;
    model->classifier = {drawn(5, 12, 13), drawn(1, 5, 14)};
    return model;
}

Trace front_of(const std::shared_ptr<const Model>& model, int height, int width) {
    Trace trace;
    trace.model = model;
    trace.grid = make_grid(*model, height, width, {kPatch, kPatch, Ragged::crop});
    set_patches(trace, naive::random_matrix(trace.grid.count(), 3 * kPatch * kPatch, 77));
    return trace;
}

// ---- the authors' method, in double, on maps [rows][cols][channels]

using Row = std::vector<double>;
struct Map {
    int rows = 0, cols = 0;
    std::vector<Row> cells;

    Row& at(int r, int c) { return cells[static_cast<std::size_t>(r * cols + c)]; }
    [[nodiscard]] const Row& at(int r, int c) const {
        return cells[static_cast<std::size_t>(r * cols + c)];
    }
};

Map map_of(const MatrixView& tokens, int rows, int cols) {
    Map map{rows, cols, {}};
    for (Index i = 0; i < tokens.rows; ++i) map.cells.push_back(naive::row_of(tokens, i));
    return map;
}

// Shifted down and to the right, as torch.roll.
Map rolled(const Map& map, int down, int right) {
    Map out = map;
    for (int r = 0; r < map.rows; ++r)
        for (int c = 0; c < map.cols; ++c)
            out.at((r + down + map.rows) % map.rows, (c + right + map.cols) % map.cols) =
                map.at(r, c);
    return out;
}

Row product(const Row& x, const Linear& linear) {
    const MatrixView w = linear.weight->view();
    Row out;
    for (Index o = 0; o < w.rows; ++o) {
        double sum = linear.bias ? linear.bias->view()(0, o) : 0.0;
        for (Index i = 0; i < w.cols; ++i) sum += w(o, i) * x[static_cast<std::size_t>(i)];
        out.push_back(sum);
    }
    return out;
}

Row normed(const Row& x, const Norm& norm) {
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
    Row out;
    for (std::size_t i = 0; i < x.size(); ++i)
        out.push_back((x[i] - mean) / std::sqrt(variance + norm.eps) *
                          norm.gamma->view()(0, static_cast<Index>(i)) +
                      norm.beta->view()(0, static_cast<Index>(i)));
    return out;
}

// The region number of each position, from the code's slices: 0..−w, −w..−s, −s..end.
int slice_of(int at, int extent, int shift) {
    if (shift == 0) return 0;
    return at < extent - kWindow ? 0 : at < extent - shift ? 1 : 2;
}

struct Seen {
    std::map<std::array<int, 3>, double> attention;  // head, query, key: tokens of the map
};

Map attention_of(const Layer& layer, const Map& x, Seen& seen) {
    const int down = x.rows == kWindow ? 0 : layer.window.shift,
              right = x.cols == kWindow ? 0 : layer.window.shift, heads = layer.attention.heads,
              width = layer.attention.head_dim(), c = layer.attention.channels;
    const Map shifted = rolled(x, -down, -right);
    Map out = shifted;
    const auto token = [&](int r, int col) {
        return (r + down) % x.rows * x.cols + (col + right) % x.cols;
    };
    const auto column = [](int first) { return static_cast<std::size_t>(first); };
    for (int wr = 0; wr < x.rows; wr += kWindow)
        for (int wc = 0; wc < x.cols; wc += kWindow) {
            std::vector<std::array<int, 2>> places;
            std::vector<Row> qkv;
            for (int i = 0; i < kWindow * kWindow; ++i) {
                places.push_back({wr + i / kWindow, wc + i % kWindow});
                qkv.push_back(product(shifted.at(places.back()[0], places.back()[1]), layer.qkv));
            }
            for (std::size_t q = 0; q < places.size(); ++q) {
                Row mixed(static_cast<std::size_t>(c), 0.0);
                for (int h = 0; h < heads; ++h) {
                    Row scores;
                    for (std::size_t k = 0; k < places.size(); ++k) {
                        double sum = 0;
                        for (int i = 0; i < width; ++i)
                            sum +=
                                qkv[q][column(h * width + i)] * qkv[k][column(c + h * width + i)];
                        const int dr = places[q][0] - places[k][0] + kWindow - 1,
                                  dc = places[q][1] - places[k][1] + kWindow - 1;
                        sum = sum / std::sqrt(width) +
                              layer.relative_bias.table->view()(dr * (2 * kWindow - 1) + dc, h);
                        const bool apart = slice_of(places[q][0], x.rows, down) !=
                                               slice_of(places[k][0], x.rows, down) ||
                                           slice_of(places[q][1], x.cols, right) !=
                                               slice_of(places[k][1], x.cols, right);
                        scores.push_back(apart ? sum - 100 : sum);
                    }
                    const Row shares = naive::softmax(scores);
                    for (std::size_t k = 0; k < places.size(); ++k) {
                        seen.attention[{h, token(places[q][0], places[q][1]),
                                        token(places[k][0], places[k][1])}] = shares[k];
                        for (int i = 0; i < width; ++i)
                            mixed[column(h * width + i)] +=
                                shares[k] * qkv[k][column(2 * c + h * width + i)];
                    }
                }
                out.at(places[q][0], places[q][1]) = product(mixed, layer.projection);
            }
        }
    return rolled(out, down, right);
}

Map merged(const Merge& merge, const Map& x) {
    Map out{x.rows / 2, x.cols / 2, {}};
    for (int r = 0; r < x.rows; r += 2)
        for (int c = 0; c < x.cols; c += 2) {
            Row four;
            for (const auto& [down, right] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}})
                for (const double v : x.at(r + down, c + right)) four.push_back(v);
            out.cells.push_back(product(normed(four, merge.norm), merge.reduction));
        }
    return out;
}

Map through(const Layer& layer, Map x, Seen& seen) {
    if (layer.merge.exists()) x = merged(layer.merge, x);
    Map normal = x;
    for (Row& row : normal.cells) row = normed(row, layer.norm1);
    const Map read = attention_of(layer, normal, seen);
    for (std::size_t i = 0; i < x.cells.size(); ++i) {
        Row& row = x.cells[i];
        for (std::size_t k = 0; k < row.size(); ++k) row[k] += read.cells[i][k];
        Row hidden = product(normed(row, layer.norm2), layer.mlp_in);
        for (double& v : hidden) v = v / 2 * (1 + std::erf(v / std::sqrt(2.0)));
        const Row mlp = product(hidden, layer.mlp_out);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] += mlp[k];
    }
    return x;
}

naive::Table table_of(const Map& map) {
    naive::Table table(static_cast<Index>(map.cells.size()),
                       static_cast<Index>(map.cells.front().size()));
    for (std::size_t r = 0; r < map.cells.size(); ++r)
        for (std::size_t c = 0; c < map.cells[r].size(); ++c)
            table(static_cast<Index>(r), static_cast<Index>(c)) = map.cells[r][c];
    return table;
}

// Every layer's attention and output. At 24 × 12 pixels, the second stage is one window wide and
// two high, and is shifted only down.
class Swin : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Swin, every_layer_is_that_of_its_authors) {
    const auto model = swin();
    const auto [height, width] = GetParam();
    std::vector<Trace> layers;
    const Trace end = Runner::run({front_of(model, height, width)},
                                  [&](const Trace& layer) { layers.push_back(layer); });
    ASSERT_EQ(layers.size(), 4U);
    const int rows = height / kPatch, cols = width / kPatch;
    Map x = map_of(layers[0].view(Tensor::input), rows, cols);
    for (std::size_t b = 0; b < 4; ++b) {
        Seen seen;
        x = through(model->layers[b], x, seen);
        const Trace& layer = layers[b];
        EXPECT_EQ(layer.grid.rows, b < 2 ? rows : rows / 2);
        EXPECT_EQ(layer.layout.count(), layer.shape.keys);
        EXPECT_TRUE(naive::close(layer.view(Tensor::output), table_of(x), 2e-5, 1e-5)) << b;
        for (Index h = 0; h < layer.shape.heads; ++h)
            for (Index q = 0; q < layer.shape.queries; ++q)
                for (Index k = 0; k < layer.shape.keys; ++k) {
                    const auto found = seen.attention.find(
                        {static_cast<int>(h), static_cast<int>(q), static_cast<int>(k)});
                    const double expected = found == seen.attention.end() ? 0 : found->second;
                    ASSERT_NEAR(layer.view(Tensor::attention, 0, h)(q, k), expected, 2e-6)
                        << b << " " << h << " " << q << " " << k;
                    if (found == seen.attention.end()) {
                        ASSERT_EQ(layer.view(Tensor::scores, 0, h)(q, k), -naive::kInfinity);
                        ASSERT_EQ(layer.view(Tensor::relative_bias, 0, h)(q, k), 0);
                    }
                }
    }
    EXPECT_EQ(end.view(Tensor::pooled).cols, 12);
    EXPECT_EQ(end.stream.size(), 5U);
}

// A layer that is not displayed, and a head computed on demand, give the same.
TEST_P(Swin, is_the_same_where_squares_are_not_kept) {
    const auto model = swin();
    const auto [height, width] = GetParam();
    std::vector<Trace> layers;
    const Trace end = Runner::run({front_of(model, height, width)},
                                  [&](const Trace& layer) { layers.push_back(layer); });
    for (int b = 0; b < 4; ++b) {
        const Trace& kept = layers[static_cast<std::size_t>(b)];
        const Trace other = compute_layer(end, b, {}, {});
        EXPECT_TRUE(naive::identical(other.all(Tensor::attention), kept.all(Tensor::attention)));
        EXPECT_TRUE(naive::identical(other.all(Tensor::output), kept.all(Tensor::output)));
        Trace lean = kept;
        lean.keeps_squares = false;
        compute_all(lean.nodes, lean, {});
        EXPECT_TRUE(naive::identical(lean.all(Tensor::attention), kept.all(Tensor::attention)));
        for (const Tensor square :
             {Tensor::scaled, Tensor::relative_bias, Tensor::biased, Tensor::scores})
            for (Index h = 0; h < kept.shape.heads; ++h) {
                ASSERT_TRUE(lean.on_demand(square)) << info(square).name;
                const Matrix found = compute_for_head(lean, square, 0, h);
                const MatrixView expected = kept.view(square, 0, h);
                for (Index i = 0; i < found.rows(); ++i)
                    for (Index j = 0; j < found.cols(); ++j) {
                        if (found(i, j) == expected(i, j)) continue;
                        ASSERT_NEAR(found(i, j), expected(i, j), 1e-5) << info(square).name;
                    }
            }
        const KeptAttention rows(other);
        for (const Index token : {Index{0}, kept.shape.queries - 1}) {
            const Matrix row = rows.of_query(token);
            for (Index h = 0; h < kept.shape.heads; ++h)
                EXPECT_TRUE(naive::identical(
                    Matrix(row.row(h)),
                    Matrix(kept.view(Tensor::attention, 0, h).eigen().row(token))));
        }
    }
}

// Each step's arithmetic gives the displayed number.
TEST_P(Swin, every_cell_says_how_it_came_about) {
    const auto model = swin();
    const auto [height, width] = GetParam();
    (void)Runner::run({front_of(model, height, width)}, [&](const Trace& layer) {
        for (const Step step : {Step::merge_gather, Step::merge_norm, Step::merge, Step::scale,
                                Step::relative_bias, Step::mask, Step::softmax}) {
            const Node* node = layer.node(step);
            if (node == nullptr) continue;
            const MatrixView shown = layer.view(node->result(), 0, 1);
            for (Index row = 0; row < shown.rows; ++row)
                for (Index col = 0; col < shown.cols; ++col) {
                    const Arithmetic a = explained(layer, step, 1, row, col);
                    if (a.shown == a.recomputed) continue;
                    ASSERT_NEAR(a.shown, a.recomputed, 2e-5)
                        << node->name() << " " << row << " " << col;
                }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Pictures, Swin,
                         ::testing::Values(std::pair{24, 12}, std::pair{12, 12},
                                           std::pair{24, 36}));

TEST(Windows, a_shift_in_neither_direction_where_one_is_a_window_long) {
    const TokenGrid places{0, 6, 3};
    const Windows apart({3, 1, false}, places), together({3, 1, true}, places);
    EXPECT_EQ(apart.shift(), (std::array{1, 0}));
    EXPECT_EQ(together.shift(), (std::array{0, 0}));
    EXPECT_EQ(Windows({3, 1, true}, {0, 6, 6}).shift(), (std::array{1, 1}));
}

TEST(Windows, need_a_grid_that_they_fill) {
    const auto refused = [](const TokenGrid& places) {
        return naive::sentence_of<AttentionError>([&] { (void)Windows({3, 1}, places); });
    };
    EXPECT_EQ(refused({0, 6, 4}),
              "Windows of 3 × 3 tokens need a grid that they fill exactly, without other tokens. "
              "The grid here is 6 × 4.");
    EXPECT_NE(refused({1, 6, 6}), "");
    EXPECT_NE(refused({0, 2, 3}), "");
    EXPECT_NE(refused({}), "");
    EXPECT_EQ(refused({0, 6, 6}), "");
}

TEST(SwinModel, refuses_pictures_whose_tokens_do_not_fill_its_windows) {
    const auto model = swin();
    EXPECT_EQ(picture_unit(*model), 12);
    const auto refused = [&](int height, int width) {
        return naive::sentence_of<PatchError>([&] { (void)front_of(model, height, width); });
    };
    EXPECT_EQ(refused(24, 36), "");
    EXPECT_EQ(refused(24, 30),
              "swin.safetensors: expected a picture whose height and width are multiples of 12 "
              "pixels, so that every layer's tokens fill its windows, found 24 × 30. For other "
              "sizes the model's own code adds empty tokens, but Headlight does not.");
    EXPECT_NE(refused(13, 12), "");
}

TEST(SwinModel, knows_its_stages) {
    const auto model = swin();
    EXPECT_EQ(model->stages(), (std::vector<std::pair<int, int>>{{0, 2}, {2, 4}}));
    EXPECT_EQ(model->level_of(1), 0);
    EXPECT_EQ(model->level_of(2), 1);
    EXPECT_EQ(model->last_level(), 1);
    EXPECT_EQ(model->alike_from(), 3);
    EXPECT_TRUE(model->has_merges());
    EXPECT_EQ(Model{}.alike_from(), 0);
    EXPECT_EQ(picture_unit(Model{}), 1);
}

}  // namespace
}  // namespace headlight::windows_test

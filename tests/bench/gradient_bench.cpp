// The gradient of a logit, relative to the forward pass that it starts from.
//
// A randomly initialized vision transformer on 224 × 224 pixels. The counter `forwards` is the time
// of the backward pass in forward passes, with each layer recomputed: to every layer's attention
// (relevance), or down to the pixels. Both alternate within one benchmark, so that other load on
// the machine affects both alike. `map_seconds` is a whole relevance map, forward pass included;
// `window_seconds` is one from a complete trace, as in the window.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "encoder/layers.h"
#include "gradient/attribution.h"
#include "gradient/class_maps.h"
#include "kernels/recycle.h"

namespace headlight {
namespace {

struct Sizes {
    int width, heads, layers;
};

SharedResult drawn(Index rows, Index cols, float size = 0.02F) {
    return make_result(Matrix(Matrix::Random(rows, cols) * size));
}

Linear drawn_linear(Index outputs, Index inputs) {
    return {drawn(outputs, inputs), drawn(1, outputs)};
}

Norm drawn_norm(Index width) {
    return {make_result(Matrix(Matrix::Ones(1, width))), drawn(1, width)};
}

std::shared_ptr<const Model> model_of(const Sizes& sizes) {
    auto model = std::make_shared<Model>();
    const Index d = sizes.width;
    model->patch_size = 16;
    model->embedding = drawn_linear(d, 768);
    model->prefix.class_token = drawn(1, d);
    model->positions.table = drawn(197, d);
    model->positions.grid_rows = model->positions.grid_cols = 14;
    for (int b = 0; b < sizes.layers; ++b) {
        Layer layer;
        name_layer(layer, b);
        layer.attention.dim = layer.attention.channels = sizes.width;
        layer.attention.heads = sizes.heads;
        layer.attention.qkv_bias = true;
        layer.attention.skip = Skip::input;
        layer.norm1 = drawn_norm(d);
        layer.norm2 = drawn_norm(d);
        layer.qkv = drawn_linear(3 * d, d);
        layer.projection = drawn_linear(d, d);
        layer.mlp_in = drawn_linear(4 * d, d);
        layer.mlp_out = drawn_linear(d, 4 * d);
        model->layers.push_back(std::move(layer));
    }
    model->norm = drawn_norm(d);
    model->classifier = drawn_linear(1000, d);
    return model;
}

Trace front_of(const std::shared_ptr<const Model>& model) {
    Trace front;
    front.model = model;
    front.image =
        std::make_shared<const Image>(Image{224, 224, 3, std::vector<float>(224 * 224 * 3)});
    front.grid = make_patch_grid(224, 224, {16, 16, Ragged::crop});
    front.set(Tensor::patches, drawn(196, 768, 1));
    return front;
}

Trace forward(Trace trace) {
    compute_all(token_nodes(*trace.model, {}), trace, {});
    for (int b = 0; b < static_cast<int>(trace.model->layers.size()); ++b) {
        begin_layer(trace, b);
        end_layer(trace, b, compute_layer(trace, b, {}, {}).result(Tensor::output));
    }
    compute_all(end_nodes(*trace.model), trace, {});
    return trace;
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void back(benchmark::State& state, const Sizes& sizes, bool to_pixels) {
    const KeepForNext memory;
    const auto model = model_of(sizes);
    const Trace front = front_of(model);
    const GradientReach reach{0, to_pixels ? std::optional<Tensor>() : Tensor::attention,
                              to_pixels};
    std::vector<double> ways_there, ways_back, maps, maps_of_trace;
    const ClassMapQuestion relevance{MapMethod::relevance, Index{7}, {}, 0, 1};
    for (auto _ : state) {
        Trace trace;
        ways_there.push_back(seconds_of([&] { trace = forward(front); }));
        ways_back.push_back(seconds_of([&] { run_backward(trace, {}, {7}, reach, nullptr); }));
        maps.push_back(seconds_of([&] { class_map(front, {}, relevance); }));
        maps_of_trace.push_back(seconds_of([&] { class_map(trace, {}, relevance); }));
    }
    state.counters["forwards"] = median(ways_back) / median(ways_there);
    state.counters["forward_seconds"] = median(ways_there);
    state.counters["back_seconds"] = median(ways_back);
    state.counters["map_seconds"] = median(maps);
    state.counters["window_seconds"] = median(maps_of_trace);
}

constexpr Sizes kSmall{384, 6, 12}, kBase{768, 12, 12}, kLarge{1024, 16, 24};

void vit_s_to_attention(benchmark::State& state) { back(state, kSmall, false); }
void vit_s_to_pixels(benchmark::State& state) { back(state, kSmall, true); }
void vit_b_to_attention(benchmark::State& state) { back(state, kBase, false); }
void vit_b_to_pixels(benchmark::State& state) { back(state, kBase, true); }

BENCHMARK(vit_s_to_attention)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(15);
BENCHMARK(vit_s_to_pixels)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(15);
BENCHMARK(vit_b_to_attention)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);
BENCHMARK(vit_b_to_pixels)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);

// The estimated importance of all 384 heads of a ViT-L, forward pass included.
void attributions_of_vit_l(benchmark::State& state) {
    const KeepForNext memory;
    const Trace front = front_of(model_of(kLarge));
    for (auto _ : state) benchmark::DoNotOptimize(attribute_heads(forward(front), {}, 7));
}
BENCHMARK(attributions_of_vit_l)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(3);

}  // namespace
}  // namespace headlight

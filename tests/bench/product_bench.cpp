// The products of vision transformers with each library, and with the one that kernels/product.h
// chooses.
//
// GFLOP/s of Eigen, of oneDNN's plain product (one call for the whole, split by its own OpenMP
// threads),
// and of ours with either library forced and with the automatic choice; `ratio` is automatic /
// plain.
// All alternate within one benchmark, so that other load on the machine affects all alike.
// `--benchmark_filter=small` shows from which size on oneDNN is faster.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "attention/layer.h"
#include "kernels/parallel.h"
#include "kernels/product.h"
#include "kernels/recycle.h"
#include "plain_product.h"

namespace headlight {
namespace {

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The best of many runs, because on a busy machine only that measures the code.
class Best {
  public:
    void measure(const std::function<void()>& work) { best_ = std::min(best_, seconds_of(work)); }
    [[nodiscard]] double speed(double flops) const { return flops / best_ * 1e-9; }

  private:
    double best_ = 1e9;
};

std::vector<ProductBackend> backends() {
    std::vector<ProductBackend> all{ProductBackend::eigen, ProductBackend::tiled};
    if (built_with_onednn()) all.push_back(ProductBackend::onednn);
    all.push_back(ProductBackend::automatic);
    return all;
}

const char* name_of(ProductBackend backend) {
    switch (backend) {
        case ProductBackend::eigen:
            return "eigen_GF/s";
        case ProductBackend::onednn:
            return "onednn_GF/s";
        case ProductBackend::tiled:
            return "tiled_GF/s";
        case ProductBackend::automatic:
            break;
    }
    return "ours_GF/s";
}

// Runs `product` with each library in turn and reports its speeds.
void compare(benchmark::State& state, double flops, const std::function<void()>& product,
             const std::function<void()>& plain) {
    std::vector<Best> speeds(backends().size());
    Best plain_speed;
    for ([[maybe_unused]] auto _ : state) {
        if (plain) plain_speed.measure(plain);
        for (std::size_t i = 0; i < speeds.size(); ++i) {
            set_product_backend(backends()[i]);
            speeds[i].measure(product);
        }
    }
    set_product_backend(ProductBackend::automatic);
    for (std::size_t i = 0; i < speeds.size(); ++i)
        state.counters[name_of(backends()[i])] = speeds[i].speed(flops);
    if (plain) {
        state.counters["plain_GF/s"] = plain_speed.speed(flops);
        state.counters["ratio"] = speeds.back().speed(flops) / plain_speed.speed(flops);
    }
}

double flops_of(Index rows, Index cols, Index depth) {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(depth);
}

// A product with a weight. There are as many weights as in a model of 12 layers, used in turn, so
// that they come from the same memory as there.
void linear_product(benchmark::State& state) {
    constexpr std::size_t kLayers = 12;
    const Index rows = state.range(0), cols = state.range(1), depth = state.range(2);
    set_threads(static_cast<int>(state.range(3)));
    const Matrix x = Matrix::Random(rows, depth);
    std::vector<Matrix> weights;
    for (std::size_t i = 0; i < kLayers; ++i) weights.push_back(Matrix::Random(cols, depth));
    Matrix out = Matrix::Zero(rows, cols);
    const auto ours = [&] {
        for (const Matrix& weight : weights) apply_linear(x, weight, nullptr, out);
    };
    std::function<void()> plain;
#ifdef HEADLIGHT_ONEDNN
    std::vector<PlainProduct> products;
    products.reserve(kLayers);
    for (const Matrix& weight : weights)
        products.emplace_back(PlainProduct::Sizes{1, rows, cols, depth}, x.data(), weight.data(),
                              true, out.data());
    plain = [&] {
        for (PlainProduct& product : products) product.run();
    };
#endif
    compare(state, kLayers * flops_of(rows, cols, depth), ours, plain);
    set_threads(0);
}

void linear_sizes(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"rows", "cols", "depth", "threads"});
    for (const std::int64_t threads : {1, 2}) {
        for (const std::int64_t width : {192, 384, 768})  // ViT-Ti/16, S/16, B/16
            for (const auto& [cols, depth] : {std::pair{3 * width, width},
                                              {width, width},
                                              {4 * width, width},
                                              {width, 4 * width}})
                bench->Args({197, cols, depth, threads});
        for (const auto& [cols, depth] :
             {std::pair{1152, 384}, {384, 384}, {1536, 384}, {384, 1536}})  // S/8 at 480
            bench->Args({3601, cols, depth, threads});
    }
}
BENCHMARK(linear_product)->Apply(linear_sizes)->UseRealTime()->Unit(benchmark::kMillisecond);

// Q·Kᵀ and A·V of all heads; head_dim is 64, as in all these models.
void attention_product(benchmark::State& state) {
    constexpr Index kHeadDim = 64;
    const Index tokens = state.range(0), heads = state.range(1);
    const bool values = state.range(2) != 0;
    set_threads(static_cast<int>(state.range(3)));
    const AttentionShape shape{1, tokens, tokens, heads, kHeadDim};
    const Index channels = shape.channels();
    const Matrix qkv = Matrix::Random(tokens, 3 * channels);
    const auto third = [&](Index i) {
        return MatrixView(qkv).block(0, i * channels, tokens, channels);
    };
    const Matrix attention = query_key_products(third(0), third(1), shape);
    const auto ours = [&] {
        recycle(values ? mix_values(attention, third(2), shape)
                       : query_key_products(third(0), third(1), shape));
    };
    compare(state, static_cast<double>(heads) * flops_of(tokens, tokens, kHeadDim), ours, {});
    set_threads(0);
}
BENCHMARK(attention_product)
    ->ArgNames({"tokens", "heads", "values", "threads"})
    ->ArgsProduct({{197}, {3, 6, 12}, {0, 1}, {1, 2}})
    ->ArgsProduct({{3601}, {6}, {0, 1}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void small_product(benchmark::State& state) {
    const Index rows = state.range(0), cols = state.range(1), depth = state.range(2);
    set_threads(1);
    const Matrix left = Matrix::Random(rows, depth), right = Matrix::Random(cols, depth);
    Matrix out = Matrix::Zero(rows, cols);
    constexpr int kTimes = 100;
    const auto ours = [&] {
        for (int i = 0; i < kTimes; ++i) multiply_transposed(left, right, out);
    };
    compare(state, kTimes * flops_of(rows, cols, depth), ours, {});
    set_threads(0);
}
BENCHMARK(small_product)
    ->ArgNames({"rows", "cols", "depth"})
    ->ArgsProduct({{1, 2, 4, 16, 64, 197}, {1, 2, 4, 16, 64, 256}, {1, 16, 64, 256}})
    ->UseRealTime();

}  // namespace
}  // namespace headlight

// The attention layer compared with its plain matrix products.
//
// What the layer does besides its four products (scale, softmax, keeping every intermediate result)
// is
// the cost of showing it. The counter `ratio` is the speed of the layer / the speed of the plain
// products, both in operations of the products, so 1 would mean no cost. Both alternate within one
// benchmark, so that other load on the machine affects both alike.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "../engine/run_layer.h"
#include "encoder/runner.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"

namespace headlight {
namespace {

struct Sizes {
    Index tokens, dim, channels, heads;

    [[nodiscard]] Index head_dim() const { return channels / heads; }
    [[nodiscard]] double flops() const {
        const auto n = static_cast<double>(tokens), d = static_cast<double>(dim),
                   c = static_cast<double>(channels);
        return 2 * (n * d * 3 * c + n * n * c + n * n * c + n * c * c);  // qkv, Q·Kᵀ, A·V, project
    }
};

// left · right into out: as a whole with one thread, in blocks of rows with several.
template <class Out, class Left, class Right>
void plain_product(Out out, const Left& left, const Right& right) {
    const Index rows = out.rows();
    const Index block = (rows + threads() - 1) / threads();
    parallel_rows(rows, block, [&](Index first, Index count) {
        out.middleRows(first, count).noalias() = left.middleRows(first, count) * right;
    });
}

// Only the layer's products, into preallocated memory.
class PlainProducts {
  public:
    PlainProducts(const Sizes& s, const AttentionWeights& weights, Matrix tokens)
        : s_(s), weights_(weights), tokens_(std::move(tokens)) {
        qkv_ = Matrix::Zero(s.tokens, 3 * s.channels);
        square_ = Matrix::Zero(s.heads * s.tokens, s.tokens);
        concat_ = projection_ = Matrix::Zero(s.tokens, s.channels);
    }

    void run() {
        const Index width = s_.head_dim();
        plain_product(qkv_.middleRows(0, s_.tokens), tokens_, weights_.qkv.transpose());
        for (Index h = 0; h < s_.heads; ++h)
            plain_product(square_.middleRows(h * s_.tokens, s_.tokens),
                          qkv_.middleCols(h * width, width),
                          qkv_.middleCols(s_.channels + h * width, width).transpose());
        for (Index h = 0; h < s_.heads; ++h)
            plain_product(concat_.middleCols(h * width, width),
                          square_.middleRows(h * s_.tokens, s_.tokens),
                          qkv_.middleCols(2 * s_.channels + h * width, width));
        plain_product(projection_.middleRows(0, s_.tokens), concat_,
                      weights_.projection.transpose());
        benchmark::DoNotOptimize(projection_.data());
    }

  private:
    Sizes s_;
    const AttentionWeights& weights_;
    Matrix tokens_, qkv_, square_, concat_, projection_;
};

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void layer(benchmark::State& state) {
    const Sizes s{state.range(0), state.range(1), state.range(2), state.range(3)};
    set_threads(static_cast<int>(state.range(4)));
    AttentionConfig config;
    config.dim = static_cast<int>(s.dim);
    config.channels = static_cast<int>(s.channels);
    config.heads = static_cast<int>(s.heads);
    const auto weights = std::make_shared<const AttentionWeights>(draw_weights(config, 1));
    const Matrix tokens = Matrix::Random(s.tokens, s.dim);

    // As in the program: the displayed trace lives until the next one is finished.
    std::shared_ptr<const Trace> shown;
    const auto run_layer_once = [&] {
        LayerInput input;
        input.tokens = tokens;
        shown = run_layer(std::move(input), config, weights);
    };
    PlainProducts plain(s, *weights, tokens);
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
        run_layer_once();
        plain.run();
    }

    std::vector<double> layer_times, plain_times;
    for ([[maybe_unused]] auto _ : state) {
        plain_times.push_back(seconds_of([&] { plain.run(); }));
        layer_times.push_back(seconds_of(run_layer_once));
        state.SetIterationTime(layer_times.back());
    }
    state.counters["layer_GF/s"] = s.flops() / median(layer_times) * 1e-9;
    state.counters["plain_GF/s"] = s.flops() / median(plain_times) * 1e-9;
    state.counters["ratio"] = median(plain_times) / median(layer_times);
    set_threads(0);
}

// The cost of a mask or another score function: time of that layer / time of the plain one,
// alternating.
struct Variant {
    const char* name;
    MaskRules mask;
    AttentionVariant variant;
};
const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = [] {
        std::vector<Variant> list{{"causal", {{MaskKind::causal}}, {}},
                                  {"no_self", {{MaskKind::no_self}}, {}},
                                  {"keys", {{MaskKind::keys, {3, 7}}}, {}}};
        for (const Score score : {Score::dot, Score::cosine}) {
            list.push_back({name_of(score).data(), {}, {}});
            list.back().variant.score = score;
        }
        list.push_back({"max", {}, {}});
        list.back().variant.weights_from = Weighting::max;
        return list;
    }();
    return all;
}

void variant(benchmark::State& state) {
    const Variant& what = variants()[static_cast<std::size_t>(state.range(0))];
    const Index tokens = state.range(1);
    AttentionConfig plain;
    plain.dim = plain.channels = 768;
    plain.heads = 12;
    AttentionConfig config = plain;
    config.variant = what.variant;
    const auto weights = std::make_shared<const AttentionWeights>(draw_weights(plain, 1));
    const Matrix given = Matrix::Random(tokens, plain.dim);
    std::shared_ptr<const Trace> shown;
    const auto run = [&](const AttentionConfig& how, const MaskRules& mask) {
        LayerInput input;
        input.tokens = given;
        shown = run_layer(std::move(input), how, weights, mask);
    };
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
        run(plain, {});
        run(config, what.mask);
    }
    std::vector<double> plain_times, times;
    for ([[maybe_unused]] auto _ : state) {
        plain_times.push_back(seconds_of([&] { run(plain, {}); }));
        times.push_back(seconds_of([&] { run(config, what.mask); }));
        state.SetIterationTime(times.back());
    }
    state.counters["ratio"] = median(times) / median(plain_times);
    state.SetLabel(what.name);
}
BENCHMARK(variant)
    ->ArgNames({"variant", "tokens"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {197, 785}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void layer_sizes(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"tokens", "dim", "channels", "heads", "threads"});
    for (const std::int64_t threads : {1, 2})
        for (const std::int64_t tokens : {100, 197, 785, 3137}) {
            bench->Args({tokens, 768, 768, 12, threads});
            bench->Args({tokens, 768, 64, 4, threads});
        }
}
BENCHMARK(layer)->Apply(layer_sizes)->UseManualTime()->Unit(benchmark::kMillisecond);

// The attention of a layer that is not displayed, compared with the three steps of a displayed one.
void attention_alone(benchmark::State& state) {
    const Index tokens = state.range(0), heads = state.range(1);
    set_threads(static_cast<int>(state.range(2)));
    const AttentionShape shape{1, tokens, tokens, heads, 64};
    const Matrix query = Matrix::Random(tokens, shape.channels());
    const Matrix key = Matrix::Random(tokens, shape.channels());
    std::vector<double> alone, shown, products_only;
    for ([[maybe_unused]] auto _ : state) {
        alone.push_back(
            seconds_of([&] { recycle(attention_of(query, key, 0.125F, nullptr, shape)); }));
        state.SetIterationTime(alone.back());
        Matrix products;
        products_only.push_back(
            seconds_of([&] { products = query_key_products(query, key, shape); }));
        shown.push_back(products_only.back() + seconds_of([&] {
                            ScoresAndAttention both =
                                scale_and_softmax(products, 0.125F, nullptr, shape);
                            recycle(std::move(both.scores));
                            recycle(std::move(both.attention));
                        }));
        recycle(std::move(products));
    }
    state.counters["products_ms"] = median(products_only) * 1e3;
    state.counters["shown_ms"] = median(shown) * 1e3;
    state.counters["ratio"] = median(shown) / median(alone);
    set_threads(0);
}
BENCHMARK(attention_alone)
    ->ArgNames({"tokens", "heads", "threads"})
    ->ArgsProduct({{197}, {12}, {1, 2}})
    ->ArgsProduct({{3601}, {6}, {1, 2}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// A mask on a layer that is not displayed, compared with the same pass without one.
void masked_alone(benchmark::State& state) {
    const Index tokens = state.range(0);
    const AttentionShape shape{1, tokens, tokens, 12, 64};
    const Matrix query = Matrix::Random(tokens, shape.channels());
    const Matrix key = Matrix::Random(tokens, shape.channels());
    const auto mask = make_mask({{MaskKind::causal}}, nullptr, {}, tokens, tokens);
    std::vector<double> plain, masked;
    for ([[maybe_unused]] auto _ : state) {
        plain.push_back(
            seconds_of([&] { recycle(attention_of(query, key, 0.125F, nullptr, shape)); }));
        masked.push_back(
            seconds_of([&] { recycle(attention_of(query, key, 0.125F, mask.get(), shape)); }));
        state.SetIterationTime(masked.back());
    }
    state.counters["ratio"] = median(masked) / median(plain);
}
BENCHMARK(masked_alone)
    ->ArgName("tokens")
    ->Arg(197)
    ->Arg(785)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// A picture in memory in the simplest format, PGM.
Bytes grey_picture(int side) {
    const std::string header = "P5 " + std::to_string(side) + " " + std::to_string(side) + " 255\n";
    Bytes bytes;
    for (const char c : header) bytes.push_back(static_cast<std::byte>(c));
    for (int i = 0; i < side * side; ++i) bytes.push_back(static_cast<std::byte>(i * 7 % 251));
    return bytes;
}

// The waiting time after moving the temperature slider: the steps from the scale on.
void temperature_change(benchmark::State& state) {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = 12 * 16;
    recipe.image_width = 16 * 16;  // 12 × 16 = 192 patches, nearest to ViT's 197 tokens
    recipe.channels = static_cast<int>(state.range(0));
    recipe.heads = static_cast<int>(state.range(1));
    Runner runner([](const std::string&) { return grey_picture(200); });
    runner.run(recipe);
    for ([[maybe_unused]] auto _ : state) {
        recipe.temperature = recipe.temperature == 1.0F ? 2.0F : 1.0F;
        benchmark::DoNotOptimize(runner.run(recipe));
    }
    state.counters["tokens"] = static_cast<double>(runner.last()->shape.queries);
}
BENCHMARK(temperature_change)
    ->ArgNames({"channels", "heads"})
    ->Args({64, 4})
    ->Args({768, 12})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headlight

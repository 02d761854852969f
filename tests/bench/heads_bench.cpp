// The waiting time of a user who looks at all heads of a model: another query in all maps, and the
// importance of all heads. For randomly initialized models of the size of ViT-Ti, S and B.
//
//     heads_bench
//     heads_bench --benchmark_filter=query
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "encoder/ablation.h"
#include "encoder/runner.h"
#include "state/all_heads.h"
#include "state/layer_studies.h"

namespace headlight {
namespace {

struct Size {
    std::string name;
    int width, heads;
};
const std::vector<Size>& sizes() {
    static const std::vector<Size> all{{"Ti", 192, 3}, {"S", 384, 6}, {"B", 768, 12}};
    return all;
}
constexpr int kLayers = 12, kPatch = 16, kNative = 14, kClasses = 1000;

// As saved by timm: weights normally distributed, biases and norms at their initial values.
class Checkpoint {
  public:
    explicit Checkpoint(const Size& size) {
        const int d = size.width;
        add("cls_token", {1, 1, d}, 0.02F);
        add("pos_embed", {1, 1 + kNative * kNative, d}, 0.02F);
        add("patch_embed.proj.weight", {d, 3, kPatch, kPatch}, 0.03F);
        add("patch_embed.proj.bias", {d}, 0);
        for (int layer = 0; layer < kLayers; ++layer) {
            const std::string at = "blocks." + std::to_string(layer) + ".";
            add_norm(at + "norm1", d);
            add_linear(at + "attn.qkv", 3 * d, d);
            add_linear(at + "attn.proj", d, d);
            add_norm(at + "norm2", d);
            add_linear(at + "mlp.fc1", 4 * d, d);
            add_linear(at + "mlp.fc2", d, 4 * d);
        }
        add_norm("norm", d);
        add_linear("head", kClasses, d);
    }
    [[nodiscard]] Bytes bytes() const {
        std::string header = "{" + header_ + "}";
        header.resize((header.size() + 7) / 8 * 8, ' ');
        const std::uint64_t length = header.size();
        Bytes file(8 + header.size() + data_.size() * sizeof(float));
        std::memcpy(file.data(), &length, 8);
        std::memcpy(file.data() + 8, header.data(), header.size());
        std::memcpy(file.data() + 8 + header.size(), data_.data(), data_.size() * sizeof(float));
        return file;
    }

  private:
    void add_linear(const std::string& name, int outputs, int inputs) {
        add(name + ".weight", {outputs, inputs}, 1 / std::sqrt(static_cast<float>(inputs)));
        add(name + ".bias", {outputs}, 0);
    }
    void add_norm(const std::string& name, int width) {
        add(name + ".weight", {width}, 0, 1);
        add(name + ".bias", {width}, 0);
    }
    void add(const std::string& name, const std::vector<int>& shape, float deviation,
             float mean = 0) {
        std::size_t count = 1;
        std::string extents;
        for (const int extent : shape) {
            count *= static_cast<std::size_t>(extent);
            extents += (extents.empty() ? "" : ",") + std::to_string(extent);
        }
        const std::size_t begin = data_.size() * sizeof(float);
        std::normal_distribution<float> normal(mean, std::max(deviation, 1e-9F));
        for (std::size_t i = 0; i < count; ++i) data_.push_back(normal(draw_));
        header_ += (header_.empty() ? "\"" : ",\"") + name + R"(":{"dtype":"F32","shape":[)" +
                   extents + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
                   std::to_string(data_.size() * sizeof(float)) + "]}";
    }

    std::mt19937 draw_{1};
    std::string header_;
    std::vector<float> data_;
};

// A square picture of that many pixels per side, as a PPM file.
Bytes picture(int side) {
    const std::string header = "P6 " + std::to_string(side) + " " + std::to_string(side) + " 255\n";
    Bytes bytes(header.size() + static_cast<std::size_t>(side) * side * 3);
    std::memcpy(bytes.data(), header.data(), header.size());
    std::mt19937 draw(2);
    for (std::size_t i = header.size(); i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(draw() % 256);
    return bytes;
}

// Computed once and shared.
struct Looked {
    Recipe recipe;
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<Summary> summary;
};

Looked look_at(const Size& size, int side) {
    const std::map<std::string, FileBytes> files{
        {"m/model.safetensors", FileBytes(Checkpoint(size).bytes())},
        {"m/config.json", FileBytes([&] {
             const std::string text = "{\"num_heads\": " + std::to_string(size.heads) + "}";
             Bytes bytes(text.size());
             std::memcpy(bytes.data(), text.data(), text.size());
             return bytes;
         }())},
        {"a.ppm", FileBytes(picture(side))}};
    KeptLayers kept;
    Runner runner(
        [files](const std::string& name) -> File {
            const auto file = files.find(name);
            if (file == files.end()) throw FileMissing(name + ": no such file.");
            return file->second;
        },
        [&](const Trace& layer) { keep_attention(kept, layer); });
    Looked looked;
    looked.recipe.image = "a.ppm";
    looked.recipe.weights = "m/model.safetensors";
    looked.recipe.image_height = looked.recipe.image_width = side;
    looked.trace = runner.run(looked.recipe);
    looked.summary = summarise(*looked.trace);
    looked.summary->kept = std::move(kept);
    return looked;
}

// One size after the other: only the last model is kept.
const Looked& looked_at(std::size_t size, int side) {
    static std::pair<std::size_t, int> last{99, 0};
    static Looked looked;
    if (last != std::pair(size, side)) {
        looked = {};
        looked = look_at(sizes()[size], side);
        last = {size, side};
    }
    return looked;
}

// From one query patch to the next: its maps in all heads and layers. `answer_ms`: with lens and
// similarities, everything that the screen shows for a query. `first_ms`: for the first query,
// after which columns need no rows.
void query_to_all_maps(benchmark::State& state, Reading reading) {
    const Looked& looked =
        looked_at(static_cast<std::size_t>(state.range(0)), static_cast<int>(state.range(1)));
    const Index tokens = looked.trace->layout.count();
    Index token = 1;
    double all = 0;
    Index maps = 0;
    const double first =
        compute_across_layers({looked.trace, looked.summary, 0, reading, {}}).milliseconds;
    for (auto _ : state) {
        token = token % (tokens - 1) + 1;
        const auto start = std::chrono::steady_clock::now();
        const TokenInLayers found =
            compute_across_layers({looked.trace, looked.summary, token, reading, {}});
        all += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                   .count();
        state.SetIterationTime(found.milliseconds / 1000);
        maps = found.made;
    }
    state.SetLabel("ViT-" + sizes()[static_cast<std::size_t>(state.range(0))].name + ", " +
                   std::to_string(tokens) + " tokens");
    state.counters["maps"] = static_cast<double>(maps);
    state.counters["first_ms"] = first;
    state.counters["answer_ms"] = all / static_cast<double>(state.iterations());
}

void importance_of_all_heads(benchmark::State& state) {
    const Looked& looked =
        looked_at(static_cast<std::size_t>(state.range(0)), static_cast<int>(state.range(1)));
    std::size_t heads = 0;
    for (auto _ : state) {
        heads = 0;
        for (const auto& layer :
             ablate_heads(*looked.trace, counterfactual_of(looked.recipe, *looked.trace->model), 0))
            heads += layer.size();
    }
    state.SetLabel("ViT-" + sizes()[static_cast<std::size_t>(state.range(0))].name);
    state.counters["heads"] = static_cast<double>(heads);
}

void mass_by_distance_of_a_layer(benchmark::State& state) {
    const Looked& looked =
        looked_at(static_cast<std::size_t>(state.range(0)), static_cast<int>(state.range(1)));
    for (auto _ : state) benchmark::DoNotOptimize(rings_of(*looked.summary->kept.front()));
    state.SetLabel("ViT-" + sizes()[static_cast<std::size_t>(state.range(0))].name);
}

void sizes_of_the_branches(benchmark::State& state) {
    const Looked& looked =
        looked_at(static_cast<std::size_t>(state.range(0)), static_cast<int>(state.range(1)));
    for (auto _ : state)
        benchmark::DoNotOptimize(
            branch_sizes(*looked.trace, counterfactual_of(looked.recipe, *looked.trace->model)));
    state.SetLabel("ViT-" + sizes()[static_cast<std::size_t>(state.range(0))].name);
}

// 197, 785 and 1370 tokens: 14², 28² and 37² patches, and the class token.
void all_sizes(benchmark::internal::Benchmark* bench) {
    for (long size = 0; size < static_cast<long>(sizes().size()); ++size)
        for (const long side : {14, 28, 37}) bench->Args({size, side * kPatch});
}

BENCHMARK_CAPTURE(query_to_all_maps, from, Reading::from)
    ->Apply(all_sizes)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query_to_all_maps, by, Reading::by)
    ->Apply(all_sizes)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(importance_of_all_heads)
    ->Args({1, kNative* kPatch})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(mass_by_distance_of_a_layer)
    ->Args({1, kNative* kPatch})
    ->Args({2, 37 * kPatch})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(sizes_of_the_branches)
    ->Args({1, kNative* kPatch})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headlight

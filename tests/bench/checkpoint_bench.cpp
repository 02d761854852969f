// Opens a checkpoint of ViT-Base's size (86 M numbers) and reads all its tensors, from a file in
// the system's cache. Counters: `GB/s` of the file, and `own_MB`, the growth of the program's own
// memory (RssAnon): 344 MB for the numbers as floats, and no more, whatever their type in the file.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "disk/read_file.h"
#include "files/tensor_file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr Index kWidth = 768, kRows = 112'000, kTensors = 148;  // as ViT-Base, in equal parts

// A file that is deleted when the benchmark ends.
class Checkpoint {
  public:
    // All numbers are 1, so all elements have the same bytes.
    Checkpoint(const std::string& type, const std::string& number)
        : path_(fs::temp_directory_path() /
                ("headlight_bench_" + std::to_string(getpid()) + ".safetensors")) {
        const Index rows = kRows / kTensors, size = rows * kWidth;
        const auto bytes = static_cast<std::size_t>(size) * number.size();
        std::ostringstream header;
        header << '{';
        for (Index i = 0; i < kTensors; ++i)
            header << (i > 0 ? "," : "") << "\"t" << i << "\":{\"dtype\":\"" << type
                   << "\",\"shape\":[" << rows << ',' << kWidth << "],\"data_offsets\":["
                   << static_cast<std::size_t>(i) * bytes << ','
                   << static_cast<std::size_t>(i + 1) * bytes << "]}";
        std::string text = header.str() + '}';
        text.append((8 - text.size() % 8) % 8, ' ');
        const std::uint64_t length = text.size();
        std::string block;
        for (Index i = 0; i < size; ++i) block += number;
        std::ofstream file(path_, std::ios::binary);
        file.write(reinterpret_cast<const char*>(&length), sizeof length) << text;
        for (Index i = 0; i < kTensors; ++i) file << block;
    }
    ~Checkpoint() { fs::remove(path_); }
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    [[nodiscard]] std::string path() const { return path_; }
    [[nodiscard]] double bytes() const { return static_cast<double>(fs::file_size(path_)); }

  private:
    fs::path path_;
};

double own_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) * 1024;
    return 0;
}

void load(benchmark::State& state, const std::string& type, const std::string& number) {
    const Checkpoint checkpoint(type, number);
    double most = 0;
    for ([[maybe_unused]] auto _ : state) {
        const TensorFile file = open_tensor_file(checkpoint.path(), read_file);
        std::vector<SharedResult> matrices;
        for (const auto& [name, tensor] : file.tensors())
            matrices.push_back(file.matrix(name, tensor.shape[0], tensor.shape[1]));
        benchmark::DoNotOptimize(matrices.data());
        most = std::max(most, own_bytes());
    }
    state.counters["GB/s"] =
        benchmark::Counter(checkpoint.bytes() * 1e-9 * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate);
    state.counters["own_MB"] = most * 1e-6;
}

const std::string kF32("\0\0\x80\x3f", 4), kF16("\0\x3c", 2), kBf16("\x80\x3f", 2),
    kF64("\0\0\0\0\0\0\xf0\x3f", 8);

BENCHMARK_CAPTURE(load, F32, "F32", kF32)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(load, F16, "F16", kF16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(load, BF16, "BF16", kBf16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(load, F64, "F64", kF64)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace headlight

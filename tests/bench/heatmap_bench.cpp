// Frames per second of a heatmap while panning and zooming, and the time of an upload. Needs a
// display: xvfb-run -a heatmap_bench
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "../gl/context.h"

namespace headlight::gl {
namespace {

constexpr int kSide = 3000, kPixels = 800;

std::vector<float> noise(int rows, int cols) {
    std::vector<float> cells(static_cast<std::size_t>(rows) * cols);
    std::mt19937 random(1);
    for (float& cell : cells) {
        cell = static_cast<float>(random()) * 0x1p-32F;
    }
    return cells;
}

// Draws one picture after the other, each with the cell window `window(i)`.
template <typename Window>
void draw_frames(benchmark::State& state, Window window) {
    need_context();
    const auto cells = noise(kSide, kSide);
    const HeatmapTexture texture(cells.data(), kSide, kSide, kSide);
    HeatmapRenderer renderer;
    RenderTarget target(kPixels, kPixels);
    int frame = 0;
    while (state.KeepRunning()) {
        renderer.draw(texture, window(frame++), {}, target);
        glFinish();
    }
    state.counters["fps"] =
        benchmark::Counter(static_cast<double>(frame), benchmark::Counter::kIsRate);
}

// range(0): cells across the picture
void pan(benchmark::State& state) {
    const auto side = static_cast<float>(state.range(0));
    draw_frames(state, [side](int frame) {
        const float offset = static_cast<float>(frame % 100) * 0.37F * side / kPixels;
        return CellWindow{offset, offset, side, side};
    });
}
BENCHMARK(pan)
    ->Arg(100)
    ->Arg(800)
    ->Arg(1500)
    ->Arg(1599)  // most texels per pixel
    ->Arg(3000)
    ->Arg(6000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void zoom(benchmark::State& state) {
    draw_frames(state, [](int frame) {
        const float side = kSide * std::pow(0.98F, static_cast<float>(frame % 200));
        return CellWindow{1000, 1000, side, side};
    });
}
BENCHMARK(zoom)->Unit(benchmark::kMillisecond)->UseRealTime();

// A few rows stretched over the picture: pixels much longer than wide need many texels.
void strip(benchmark::State& state) {
    need_context();
    const auto cells = noise(8, 12288);
    const HeatmapTexture texture(cells.data(), 8, 12288, 12288);
    HeatmapRenderer renderer;
    RenderTarget target(kPixels, kPixels / 4);
    while (state.KeepRunning()) {
        renderer.draw(texture, {0, 0, 8, 12288}, {}, target);
        glFinish();
    }
}
BENCHMARK(strip)->Unit(benchmark::kMillisecond)->UseRealTime();

// range: rows, columns
void upload(benchmark::State& state) {
    need_context();
    const auto rows = static_cast<int>(state.range(0)), cols = static_cast<int>(state.range(1));
    const auto cells = noise(rows, cols);
    while (state.KeepRunning()) {
        const HeatmapTexture texture(cells.data(), rows, cols, cols);
        glFinish();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(cells.size() * 4));
}
BENCHMARK(upload)
    ->Args({197, 197})
    ->Args({3000, 3000})
    ->Args({4096, 12288})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace headlight::gl

// The time to analyze a position embedding: while a user drags the base of its waves, they need 60
// new pictures a second. For comparison, the same numbers by plain loops, in the same run of
// `position_bench`.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "analysis/position_table.h"
#include "analysis/principal.h"
#include "positions/positions.h"

namespace headlight {
namespace {

constexpr int kSide = 14;
constexpr Index kDim = 768;

Matrix table_of(double base) {
    return sincos_2d_positions({{0, kSide, kSide}, Index{kSide} * kSide, kDim, base});
}

void study(benchmark::State& state) {
    double base = 100;
    for (auto _ : state) {
        const Matrix table = table_of(base += 1);
        const Matrix cosines = cosine_matrix(table);
        benchmark::DoNotOptimize(offset_profile(cosines, kSide, kSide));
        benchmark::DoNotOptimize(
            position_properties(table, cosines, kSide, kSide, Pairing::quarters));
        benchmark::DoNotOptimize(sheet_of_maps(cosines, kSide, kSide));
    }
}
BENCHMARK(study)->Unit(benchmark::kMillisecond)->UseRealTime();

void table_alone(benchmark::State& state) {
    double base = 100;
    for (auto _ : state) benchmark::DoNotOptimize(table_of(base += 1));
}
BENCHMARK(table_alone)->Unit(benchmark::kMillisecond)->UseRealTime();

// Three principal components of the patches' features of a ViT-B with 37 × 37 patches, as for the
// colors of a picture. Every direction has a spread of its own, as in real features.
void principal_components_of_patches(benchmark::State& state) {
    constexpr Index kPatches = Index{37} * 37;
    const Vector spreads = Vector::LinSpaced(kDim, 2.0F, 0.1F);
    const std::vector<Matrix> parts{
        Matrix(Matrix::Random(kPatches, kDim).array().rowwise() * spreads.array())};
    for (auto _ : state) {
        const PrincipalComponents found = principal_components(parts, 3);
        benchmark::DoNotOptimize(found.project(parts.front()));
    }
}
BENCHMARK(principal_components_of_patches)->Unit(benchmark::kMillisecond)->UseRealTime();

// Only the cosines and the nearest rows.
void plain_loops(benchmark::State& state) {
    const Matrix table = table_of(100);
    for (auto _ : state) {
        double nearest = INFINITY, cosines = 0;
        for (Index a = 0; a < table.rows(); ++a)
            for (Index b = 0; b < table.rows(); ++b) {
                double product = 0, of_a = 0, of_b = 0, distance = 0;
                for (Index c = 0; c < kDim; ++c) {
                    const double x = table(a, c), y = table(b, c);
                    product += x * y;
                    of_a += x * x;
                    of_b += y * y;
                    distance += (x - y) * (x - y);
                }
                cosines += product / std::sqrt(of_a * of_b);
                if (a != b) nearest = std::min(nearest, distance);
            }
        benchmark::DoNotOptimize(cosines + nearest);
    }
}
BENCHMARK(plain_loops)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace headlight

#include "state/product_timing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/product.h"

namespace headlight {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLeastRepetitions = 9, kMostRepetitions = 300;
constexpr std::chrono::milliseconds kTimeForAll{400};

// Rows of the stacked weight, packed for products.
struct ReadyWeight {
    MatrixView rows;
    Index first = 0;  // first column in the result
    std::shared_ptr<const PackedWeight> packed;
};

ReadyWeight ready(const MatrixView& weight, Index first, Index count) {
    const MatrixView rows = weight.block(first, 0, count, weight.cols);
    return {rows, first, pack_weight(rows)};
}

template <class Run>
double microseconds_of(const Run& run) {
    const auto began = Clock::now();
    run();
    return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

TimeSpread spread_of(std::vector<double> times) {
    std::ranges::sort(times);
    const std::size_t count = times.size();
    return {times[count / 2], times[count / 4], times[count * 3 / 4]};
}

}  // namespace

ProductTiming time_products(const TimingQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const auto node = std::ranges::find(trace.nodes, Op::project, &Node::op);
    if (node == trace.nodes.end()) return {};
    const MatrixView tokens = trace.all(node->operands[0]);
    const MatrixView weight = node->weights[0].value->view();
    const Index channels = trace.shape.channels();
    const ReadyWeight whole = ready(weight, 0, weight.rows);
    const std::array<ReadyWeight, 3> parts{ready(weight, 0, channels),
                                           ready(weight, channels, channels),
                                           ready(weight, 2 * channels, weight.rows - 2 * channels)};
    Matrix stacked(tokens.rows, weight.rows), apart(tokens.rows, weight.rows);
    const auto multiply_part = [&](const ReadyWeight& part, Matrix& out) {
        apply_linear(tokens, part.rows, nullptr,
                     MatrixSpan(out).block(0, part.first, out.rows(), part.rows.rows), stop,
                     part.packed.get());
    };
    std::vector<double> of_stacked, of_apart;
    const auto began = Clock::now();
    while (static_cast<int>(of_apart.size()) < kMostRepetitions &&
           (static_cast<int>(of_apart.size()) < kLeastRepetitions ||
            Clock::now() - began < kTimeForAll)) {
        throw_if_stopped(stop);
        of_stacked.push_back(microseconds_of([&] { multiply_part(whole, stacked); }));
        of_apart.push_back(microseconds_of([&] {
            for (const ReadyWeight& part : parts) multiply_part(part, apart);
        }));
    }
    return {.rows = tokens.rows,
            .depth = tokens.cols,
            .cols = weight.rows,
            .stacked = spread_of(of_stacked),
            .apart = spread_of(of_apart),
            .repetitions = static_cast<int>(of_apart.size()),
            .threads = threads(),
            .difference = (stacked - apart).cwiseAbs().maxCoeff()};
}

const TimingFinder kProductTiming{
    .compute = [](const TimingQuestion& question, const TimingFinder::Run& run) {
        return time_products(question, run.stop);
    }};

}  // namespace headlight

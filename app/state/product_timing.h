#pragma once

#include <memory>

#include "tasks/studies.h"
#include "trace/trace.h"

// Times the layer's queries, keys and values on this machine in a background task: as one product
// with the stacked weights, and as three products.
namespace headlight {

struct TimingQuestion {
    std::shared_ptr<const Trace> trace;  // its node is Op::project
    int run = 0;                         // a new number measures again

    friend bool operator==(const TimingQuestion&, const TimingQuestion&) = default;
};

// Microseconds per repetition, over many repetitions.
struct TimeSpread {
    double median = 0, lower = 0, upper = 0;  // lower and upper quartiles
};
struct ProductTiming {
    Index rows = 0, depth = 0, cols = 0;  // [rows, depth] · [depth, cols], stacked
    TimeSpread stacked, apart;            // apart: the three products together
    int repetitions = 0, threads = 0;
    double difference = 0;  // largest absolute difference between the two results
};
ProductTiming time_products(const TimingQuestion& question, const StopFlag& stop = {});

using TimingFinder = Study<TimingQuestion, ProductTiming>;
extern const TimingFinder kProductTiming;

}  // namespace headlight

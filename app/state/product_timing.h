#pragma once

#include <memory>

#include "tasks/studies.h"
#include "trace/trace.h"

// The layer's queries, keys and values by one product with the stacked weights and by three
// products, timed on this machine beside the interface.
namespace headlight {

struct TimingQuestion {
    std::shared_ptr<const Trace> trace;  // with a node Op::project
    int run = 0;                         // another number measures again

    friend bool operator==(const TimingQuestion&, const TimingQuestion&) = default;
};

// Microseconds of one of many repetitions.
struct TimeSpread {
    double median = 0, lower = 0, upper = 0;  // the quartiles
};
struct ProductTiming {
    Index rows = 0, depth = 0, cols = 0;  // [rows, depth] · [depth, cols], stacked
    TimeSpread stacked, apart;            // apart: the three products together
    int repetitions = 0, threads = 0;
    double difference = 0;  // largest between the two results
};
ProductTiming time_products(const TimingQuestion& question, const StopFlag& stop = {});

using TimingFinder = Study<TimingQuestion, ProductTiming>;
extern const TimingFinder kProductTiming;

}  // namespace headlight

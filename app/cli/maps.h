#pragma once

#include <functional>
#include <string>

#include "kernels/stop.h"

namespace headlight::cli {

struct MapsOptions {
    std::string model, image;
    std::string attention;         // JSON, or empty
    std::string config;            // JSON file, or empty
    std::string query = "class";   // or a patch's number from 0
    std::string reading = "from";  // whom it reads, or "by": who reads it
    std::string out;
};

// Writes one token's attention in every head of every layer, laid out as the patches: a NumPy file,
// float32 [layers, heads, rows, columns], the numbers that `trace` has in its rows or columns.
// What goes to tokens that are no patches is left out, so a map need not sum to 1. Throws
// UsageError for options that contradict each other, another std::exception of one sentence where
// the work cannot be done, Stopped.
void run_maps(const MapsOptions& options, const std::function<void(const std::string&)>& progress,
              const StopFlag& stop);

}  // namespace headlight::cli

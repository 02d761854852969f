#pragma once

#include <iosfwd>
#include <string>

namespace headlight::cli {

struct TraceOptions {
    std::string model;         // safetensors
    std::string image, input;  // exactly one of them is given
    std::string attention;     // JSON, or empty
    std::string config;        // JSON file, or empty
    std::string layers = "all";
    std::string out;
};

// Computes one attention layer and writes every step of it. Throws UsageError where the options
// contradict each other or would write over a file that is read, another std::exception of one
// sentence where the work cannot be done. Numbers that are none are no failure, but one line of
// `warnings`.
void run_trace(const TraceOptions& options, std::ostream& warnings);

}  // namespace headlight::cli

#pragma once

#include <iosfwd>
#include <string>

namespace headlight::cli {

struct CompareOptions {
    std::string found, expected;  // safetensors, npz or npy
    std::string map;              // JSON: names of `found` to those of `expected`, or empty
    double tolerance = 1e-5;      // of the largest error, over the largest expected value
    bool json = false;            // one object instead of a table
};

// Prints, as a table or one JSON object, its largest error, that over the largest expected value, and ‖A − B‖ / ‖B‖ for every tensor
// that has a counterpart() in the other file; where none has, for what a layer gives and the other
// file's only_tensor(). What is infinite or no number must be the same in both. Throws UsageError
// for a map that is none; another std::exception of one sentence where a file cannot be read, no
// tensor is in both, and, when all is printed, where one has another shape or is beyond the
// tolerance.
void run_compare(const CompareOptions& options, std::ostream& out);

}  // namespace headlight::cli

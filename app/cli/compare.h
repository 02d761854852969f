#pragma once

#include <iosfwd>
#include <string>

namespace headlight::cli {

struct CompareOptions {
    std::string found, expected;  // safetensors, npz or npy
    std::string map;              // JSON: names in `found` to names in `expected`; or empty
    double tolerance = 1e-5;      // largest error relative to the largest expected value
    bool json = false;            // prints one object instead of a table
};

// Prints, as a table or one JSON object, for every tensor with a counterpart() in the other file:
// its largest error, the same relative to the largest expected value, and ‖A − B‖ / ‖B‖. If none
// has a counterpart, compares the layer's output with the other file's only_tensor(). Infinities
// and NaN must be equal in both. Throws UsageError for an invalid map. Throws another
// std::exception with one sentence if a file cannot be read or no tensor is in both. Does so after
// printing if shapes differ or an error exceeds the tolerance.
void run_compare(const CompareOptions& options, std::ostream& out);

}  // namespace headlight::cli

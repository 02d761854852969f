#pragma once

#include <string>

namespace headlight::cli {

struct PositionsOptions {
    std::string kind;  // a name of PositionKind that makes a table by itself
    int rows = 0, cols = 0, dim = 0;
    double base = 10000;
    std::string out;
};

// Writes a table of positions alone, for a grid of patches row by row: float32 [rows·cols, dim] as
// an .npy file. Throws UsageError for a kind that has no table, std::exception of one sentence
// where the table cannot be made or written.
void run_positions(const PositionsOptions& options);

}  // namespace headlight::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight::cli {

struct PositionsOptions {
    std::string kind;  // a generated PositionKind by name, or "rope"
    int rows = 0, cols = 0, dim = 0;
    std::optional<double> base;         // default 10000; for rope 100
    std::optional<std::uint64_t> seed;  // of a learned table; default 0
    std::optional<std::string> first;   // for sincos_2d: a WavesFirst by name; default columns
    std::string out;
};

// The names of the kinds that a file can have.
std::vector<std::string_view> kinds_of_files();

// Writes a position embedding for a grid of patches, row by row, as an .npy file: float32
// [rows·cols, dim]; for rope (DINOv3's) sine and cosine of every angle [2, rows·cols, dim]. Throws
// UsageError for a kind without a table or options that do not apply to it, std::exception with one
// sentence if the table cannot be computed or written.
void run_positions(const PositionsOptions& options);

}  // namespace headlight::cli

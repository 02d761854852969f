#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight::cli {

struct PositionsOptions {
    std::string kind;  // a name of PositionKind that makes a table by itself, or "rope"
    int rows = 0, cols = 0, dim = 0;
    std::optional<double> base;         // 10000, of rope 100
    std::optional<std::uint64_t> seed;  // of a learned table; 0
    std::optional<std::string> first;   // of sincos_2d: a name of WavesFirst; columns
    std::string out;
};

// The kinds that a file can be written of, by name.
std::vector<std::string_view> kinds_of_files();

// Writes a table of positions alone, for a grid of patches row by row, as an .npy file: float32
// [rows·cols, dim], of rope (DINOv3's) sine and cosine of every angle [2, rows·cols, dim]. Throws
// UsageError for a kind that has no table, or none that is made with what is given, std::exception
// of one sentence where the table cannot be made or written.
void run_positions(const PositionsOptions& options);

}  // namespace headlight::cli

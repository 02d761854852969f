#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

// Numbers that options take, checked before CLI11 reads them.
namespace headlight::cli {

// Decimal, within its range. CLI11 by itself takes 010 for eight and -1 for the largest number.
CLI::Validator whole(std::uint64_t least, std::uint64_t most);

// Finite, within its range; `most` may be infinite, as no number is. CLI11's own ranges let nan
// through.
CLI::Validator finite(double least, double most);

}  // namespace headlight::cli

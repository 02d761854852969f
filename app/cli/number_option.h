#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

// Validators for number options, which run before CLI11 parses them.
namespace headlight::cli {

// A decimal integer in the range. CLI11 itself reads 010 as eight and -1 as the largest number.
CLI::Validator whole(std::uint64_t least, std::uint64_t most);

// A finite number in the range; `most` may be infinite. CLI11's own ranges accept nan.
CLI::Validator finite(double least, double most);

}  // namespace headlight::cli

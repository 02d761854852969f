#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/table_command.h"
#include "gradient/map_curves.h"

namespace headlight::cli {

inline constexpr const char* kCurvesMethods = "relevance,last_attention,random";

struct CurvesOptions : TableOptions {
    std::string methods = kCurvesMethods;
    std::optional<std::string>
        of_class;  // index from 0, or name; empty: each image's predicted class
    std::string hide = "mean_color";
    int steps = 20;
    std::uint64_t seed = 0;  // of the random order
};

// Writes deletion and insertion curves (gradient/deletion.h): a row for each step, method and
// image. Throws UsageError for invalid options, another std::exception with one sentence if the
// work fails, and Stopped.
void run_curves(const CurvesOptions& options, const Audience& audience);

// patch_rankings_named(), but throws UsageError.
std::vector<PatchRanking> rankings_named(const std::string& option, const std::string& text);

// Throws WorkError if the model has no classes.
void expect_curves(const Model& model);

// A warning about a map that is zero everywhere.
std::string order_is_arbitrary(const std::string& image, const std::string& method);

}  // namespace headlight::cli

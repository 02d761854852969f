#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/names.h"
#include "patches/patches.h"
#include "patches/token_layout.h"

// The measures of an attention head, one table row each. Sorting, filtering, cards, tables,
// exports, folders, lessons and the command line read this table.
namespace headlight {

struct Model;

enum class HeadMeasure : std::uint8_t {
    // From the attention alone, in every run: means over the queries.
    entropy,
    distance,
    class_token,
    distillation_token,
    registers,
    itself,
    neighbors,
    // On request.
    alike,             // correlation of its map with that of the chosen head
    importance,        // change of the output when the head is switched off
    importance_logit,  // the same change of a class's logit
    attribution,       // the change of the logit, estimated from a gradient
    contribution,      // what it adds to a logit directly
    patching,          // change of the output when its A·V is taken from the saved result
    change,            // total variation between its map and that in the saved result
    region,            // share of the query's attention on the chosen region
    within_region      // the same share, averaged over the region's own queries
};
template <>
inline constexpr auto kNames<HeadMeasure> = std::to_array<std::string_view>(
    {"entropy", "distance", "class_token", "distillation_token", "registers", "itself", "neighbors",
     "alike", "importance", "importance_logit", "attribution", "contribution", "patching", "change",
     "region", "within_region"});
inline constexpr std::size_t kHeadMeasures = names_of<HeadMeasure>().size();
inline constexpr std::size_t kRunMeasures = static_cast<std::size_t>(HeadMeasure::alike);

// The attention weights of one query in one head.
struct AttentionRow {
    std::span<const float> weights;  // [N]
    Index query = 0;
    const TokenLayout& layout;
    const PatchGrid& grid;
    // Distances in pixels from the query's patch to each patch, [patches]; empty if the query has
    // no place.
    std::span<const float> distances;
};

inline constexpr std::string_view kPixels = "pixels";

struct HeadMeasureInfo {
    HeadMeasure id{};
    std::string_view label;      // for a line or column: "entropy", "on the class token"
    std::string_view order;      // for the list of orders: "by entropy"
    std::string_view unit = {};  // "bits", kPixels; "" if dimensionless
    std::string_view help = {};  // one sentence, or ""
    // The value for one query, if it has one. A head's number is the mean over the queries with a
    // value. Null: measured on request.
    std::optional<double> (*of_row)(const AttentionRow&) = nullptr;
    bool (*possible)(const Model&, const TokenLayout&) = nullptr;  // null: always
    bool is_share = false;                                         // fraction of the attention,
                                                                   // from 0 to 1
    bool has_sign = false;                                         // sorted by absolute value
    bool of_class = false;                                         // measured for one class

    [[nodiscard]] bool is_possible(const Model& model, const TokenLayout& layout) const {
        return possible == nullptr || possible(model, layout);
    }
    [[nodiscard]] std::string noun() const;  // "entropy", "share on the class token"
    // "entropy, bits", or with brackets "entropy (bits)".
    [[nodiscard]] std::string column(bool brackets = false) const;
};

std::span<const HeadMeasureInfo> all_head_measures();
std::span<const HeadMeasureInfo> run_measures();  // the measures of every run
const HeadMeasureInfo& info(HeadMeasure measure);

// The numbers of one head, by measure. NaN: not measured, or undefined.
struct HeadNumbers : std::array<double, kHeadMeasures> {
    HeadNumbers() { fill(std::numeric_limits<double>::quiet_NaN()); }
    double& operator[](HeadMeasure measure) { return at(static_cast<std::size_t>(measure)); }
    double operator[](HeadMeasure measure) const { return at(static_cast<std::size_t>(measure)); }
};

}  // namespace headlight

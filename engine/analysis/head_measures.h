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

// What can be measured of an attention head: one row each, which sorting, filtering, cards, tables,
// exports, folders, lessons and the command line read.
namespace headlight {

struct Model;

enum class HeadMeasure : std::uint8_t {
    // From the attention alone, at every run: means over the queries.
    entropy,
    distance,
    class_token,
    distillation_token,
    registers,
    itself,
    neighbors,
    // On request, from more than one head's attention.
    alike,         // correlation of its map with that of the chosen head
    importance,    // what changes when the head is switched off
    attribution,   // the same estimated by a gradient
    contribution,  // what it adds to a logit on the direct path
    patching,      // what changes with its output from the saved result
    change,        // total variation between its map and that of the saved result
    region,        // share of the query's attention on the chosen region
    within_region  // the same share of the region's own queries, their mean
};
template <>
inline constexpr auto kNames<HeadMeasure> = std::to_array<std::string_view>(
    {"entropy", "distance", "class_token", "distillation_token", "registers", "itself", "neighbors",
     "alike", "importance", "attribution", "contribution", "patching", "change", "region",
     "within_region"});
inline constexpr std::size_t kHeadMeasures =
    static_cast<std::size_t>(HeadMeasure::within_region) + 1;
inline constexpr std::size_t kRunMeasures = static_cast<std::size_t>(HeadMeasure::alike);
static_assert(kNames<HeadMeasure>.size() == kHeadMeasures, "each measure has its name");

// One query of one head.
struct AttentionRow {
    std::span<const float> weights;  // [N]
    Index query = 0;
    const TokenLayout& layout;
    const PatchGrid& grid;
    // From the query's patch to each patch, in pixels [patches]; empty where it has no place.
    std::span<const float> distances;
};

inline constexpr std::string_view kPixels = "pixels";

struct HeadMeasureInfo {
    HeadMeasure id{};
    std::string_view label;      // of a line or column: "entropy", "on the class token"
    std::string_view order;      // in the list of orders: "by entropy"
    std::string_view unit = {};  // "bit", kPixels; "" of a pure number
    std::string_view help = {};  // one sentence, or ""
    // One query's value, of which the head's number is the mean over the queries that have one.
    // Null: measured on request.
    std::optional<double> (*of_row)(const AttentionRow&) = nullptr;
    bool (*possible)(const Model&, const TokenLayout&) = nullptr;  // null: always
    bool is_share = false;                                         // of the attention: from 0 to 1
    bool has_sign = false;  // sorted by its size, whatever its sign

    [[nodiscard]] bool is_possible(const Model& model, const TokenLayout& layout) const {
        return possible == nullptr || possible(model, layout);
    }
    [[nodiscard]] std::string noun() const;  // "entropy", "share on the class token"
    // "entropy, bit"; with brackets "entropy (bit)".
    [[nodiscard]] std::string column(bool brackets = false) const;
};

std::span<const HeadMeasureInfo> all_head_measures();
std::span<const HeadMeasureInfo> run_measures();  // those of every run
const HeadMeasureInfo& info(HeadMeasure measure);

// Of one head, by measure. NaN: not measured, or there is no such number.
struct HeadNumbers : std::array<double, kHeadMeasures> {
    HeadNumbers() { fill(std::numeric_limits<double>::quiet_NaN()); }
    double& operator[](HeadMeasure measure) { return at(static_cast<std::size_t>(measure)); }
    double operator[](HeadMeasure measure) const { return at(static_cast<std::size_t>(measure)); }
};

}  // namespace headlight

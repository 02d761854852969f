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

inline constexpr std::string_view kPixels = "pixels", kPoints = "points";

struct HeadMeasureInfo {
    HeadMeasure id{};
    std::string_view label;      // for a line or column: "entropy", "on the class token"
    std::string_view order;      // for the list of orders: "by entropy"
    std::string_view unit = {};  // "bits", kPixels, kPoints; "" if dimensionless
    std::string_view help = {};  // one sentence, or ""
    // The value for one query, if it has one. A head's number is the mean over the queries with a
    // value. Null: measured on request.
    std::optional<double> (*of_row)(const AttentionRow&) = nullptr;
    bool (*possible)(const Model&, const TokenLayout&) = nullptr;  // null: always

    bool is_share = false;     // fraction of the attention, from 0 to 1
    bool has_sign = false;     // sorted by absolute value
    bool of_class = false;     // measured for one class
    bool of_query = false;     // about the map of one query, which is the same in all layers
    bool of_baseline = false;  // compared with another run
    bool of_region = false;    // about the patches of a region

    // Texts of a measure on request. {logit} and {probability} are those of the class in question:
    // "the logit of espresso".
    std::string_view noun_of_class = {};  // "change in {logit}"
    // With {number} or, for a probability, {points}: "adds {number} to {logit}". "": noun, number
    // and unit.
    std::string_view sentence = {};
    // Its line on a head's card while it orders the maps; "" if it has none. {class} stands for the
    // class and how it was chosen.
    std::string_view card = {};
    std::string_view card_brief = {};  // in a narrow card
    std::string_view card_tip = {};    // one sentence
    // What Headlight does until all heads are measured, as a sentence. Only for a measure that is
    // computed from one complete run alone; it has a row in measures/computed_measures.cpp.
    std::string_view meanwhile = {};

    [[nodiscard]] constexpr bool is_computed() const { return !meanwhile.empty(); }
    // Whether the model and an image are enough for it.
    [[nodiscard]] bool is_of_image() const { return !of_query && !of_baseline && !of_region; }
    [[nodiscard]] bool is_possible(const Model& model, const TokenLayout& layout) const {
        return possible == nullptr || possible(model, layout);
    }
    [[nodiscard]] std::string noun() const;  // "entropy", "share on the class token"
    // "entropy, bits", or with brackets "entropy (bits)".
    [[nodiscard]] std::string column(bool brackets = false) const;
};

inline constexpr auto kMeasuresOnRequest = std::to_array<HeadMeasureInfo>({
    {.id = HeadMeasure::alike,
     .label = "correlation with the chosen map",
     .order = "like the chosen one",
     .of_query = true},
    {.id = HeadMeasure::importance,
     .label = "change when switched off",
     .order = "by importance",
     .unit = kPoints,
     .has_sign = true,
     .of_class = true,
     .noun_of_class = "change in {probability} when switched off",
     .sentence = "without this head, {probability} changes by {points}"},
    {.id = HeadMeasure::importance_logit,
     .label = "change in the logit when switched off",
     .order = "by importance for the logit",
     .help = "The logit without the head, minus the logit with it. Attribution estimates this.",
     .has_sign = true,
     .of_class = true,
     .noun_of_class = "change in {logit} when switched off",
     .sentence = "without this head, {logit} changes by {number}",
     .card = "off, logit",
     .card_tip = "Change in the logit of {class}, with this head's output set to zero."},
    {.id = HeadMeasure::attribution,
     .label = "estimated change in the logit when switched off",
     .order = "by attribution",
     .help = "Minus the head's output times the gradient. One run and its gradient give this "
             "number for all heads.",
     .has_sign = true,
     .of_class = true,
     .noun_of_class = "estimated change in {logit} when switched off",
     .sentence = "without this head, {logit} changes by about {number}",
     .card = "off, estimated",
     .card_brief = "estimated",
     .card_tip = "Estimated from the gradient: the change in the logit of {class}, when this head "
                 "is switched off.",
     .meanwhile = "Computes the gradient of the logit with respect to every head."},
    {.id = HeadMeasure::contribution,
     .label = "contribution",
     .order = "by contribution",
     .help = "What the head's output adds to the class's logit on the direct path.",
     .of_class = true,
     .noun_of_class = "contribution to {logit}",
     .sentence = "adds {number} to {logit}",
     .card = "adds to the logit",
     .card_brief = "logit",
     .card_tip = "What this head adds to the logit of {class}, on the direct path: without later "
                 "layers, and with the final norm frozen at this image."},
    {.id = HeadMeasure::patching,
     .label = "change with its baseline output",
     .order = "by patching",
     .unit = kPoints,
     .has_sign = true,
     .of_class = true,
     .of_baseline = true,
     .noun_of_class = "change in {probability} with its output from the baseline",
     .sentence = "with its output from the baseline, {probability} changes by {points}"},
    {.id = HeadMeasure::change,
     .label = "total variation from the baseline",
     .order = "by change from the baseline",
     .of_query = true,
     .of_baseline = true},
    {.id = HeadMeasure::region,
     .label = "on the region",
     .order = "by share on the region",
     .help = "The query's attention to the patches of the region.",
     .is_share = true,
     .of_query = true,
     .of_region = true},
    {.id = HeadMeasure::within_region,
     .label = "within the region",
     .order = "by share within the region",
     .help = "Mean over the region's patches as queries: their attention to the region.",
     .is_share = true,
     .of_region = true},
});

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

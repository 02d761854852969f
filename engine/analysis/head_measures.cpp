#include "analysis/head_measures.h"

#include <algorithm>

#include "analysis/statistics.h"
#include "kernels/sum.h"
#include "model/model.h"

namespace headlight {

namespace {

using Value = std::optional<double>;

double sum(std::span<const float> cells) {
    return sum_of(static_cast<Index>(cells.size()),
                  [=](Index i) { return cells[static_cast<std::size_t>(i)]; });
}

double sum(const AttentionRow& row, Index first, Index count) {
    return sum(
        row.weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
}

// Shannon entropy, −Σ a log2 a over the keys; log2(N) if all weights are equal. A masked row, all
// zeros, counts as 0.
Value entropy_of(const AttentionRow& row) {
    return entropy(row.weights.data(), static_cast<Index>(row.weights.size()));
}

// Mean attention distance in pixels, for queries that are patches:
//   Σ_j a_ij · |center_i − center_j| / Σ_j a_ij,  j over the patch keys (including i).
// Dosovitskiy et al., "An Image is Worth 16x16 Words", arXiv 2010.11929, figure 7 and appendix D.7,
// average the distance to all other pixels by the attention weights. They do not say how they treat
// the class token. Here the tokens before the patches are left out, as queries and as keys, and the
// other weights are divided by their sum. A query that attends to no patch has no value.
Value distance_of(const AttentionRow& row) {
    if (row.distances.empty()) return {};
    const float *patches = row.weights.data() + row.layout.prefix(), *d = row.distances.data();
    const double all = sum(row, row.layout.prefix(), row.layout.patches);
    if (all == 0) return {};
    return sum_of(row.layout.patches, [=](Index i) { return patches[i] * d[i]; }) / all;
}

Value class_share(const AttentionRow& row) { return sum(row, 0, row.layout.class_tokens); }
Value distillation_share(const AttentionRow& row) {
    return sum(row, row.layout.class_tokens, row.layout.distillation_tokens);
}
Value register_share(const AttentionRow& row) {
    return sum(row, row.layout.prefix() - row.layout.registers, row.layout.registers);
}
Value own_share(const AttentionRow& row) {
    return row.weights[static_cast<std::size_t>(row.query)];
}

// For a patch: the eight patches around it, fewer at the picture's edge.
Value neighbor_share(const AttentionRow& row) {
    if (row.distances.empty()) return {};
    const Index patch = row.query - row.layout.prefix(), rows = row.grid.rows, cols = row.grid.cols;
    const Index y = patch / cols, x = patch % cols;
    double share = 0;
    for (Index r = std::max<Index>(y - 1, 0); r <= std::min(y + 1, rows - 1); ++r)
        for (Index c = std::max<Index>(x - 1, 0); c <= std::min(x + 1, cols - 1); ++c)
            if (r != y || c != x)
                share += row.weights[static_cast<std::size_t>(row.layout.prefix() + r * cols + c)];
    return share;
}

constexpr auto kRunRows = std::to_array<HeadMeasureInfo>({
    {.id = HeadMeasure::entropy,
     .label = "entropy",
     .order = "by entropy",
     .unit = "bits",
     .help = "Mean over the queries of −Σ a log2 a: 0 if each query attends to a single token.",
     .of_row = entropy_of},
    {.id = HeadMeasure::distance,
     .label = "distance",
     .order = "by distance",
     .unit = kPixels,
     .help = "How far a patch attends on average, between the centers of patches.",
     .of_row = distance_of},
    {.id = HeadMeasure::class_token,
     .label = "on the class token",
     .order = "by class token",
     .of_row = class_share,
     .possible =
         [](const Model& model, const TokenLayout& layout) {
             return model.prefix.class_token || layout.class_tokens > 0;
         },
     .is_share = true},
    {.id = HeadMeasure::distillation_token,
     .label = "on the distillation token",
     .order = "by distillation token",
     .of_row = distillation_share,
     .possible =
         [](const Model& model, const TokenLayout& layout) {
             return model.prefix.distillation_token || layout.distillation_tokens > 0;
         },
     .is_share = true},
    {.id = HeadMeasure::registers,
     .label = "on registers",
     .order = "by registers",
     .of_row = register_share,
     .possible =
         [](const Model& model, const TokenLayout& layout) {
             return model.prefix.registers || layout.registers > 0;
         },
     .is_share = true},
    {.id = HeadMeasure::itself,
     .label = "on itself",
     .order = "by attention to itself",
     .help = "The mean of the diagonal of its attention.",
     .of_row = own_share,
     .is_share = true},
    {.id = HeadMeasure::neighbors,
     .label = "on neighbors",
     .order = "by neighbors",
     .help = "The attention of a patch to the patches around it, at most eight.",
     .of_row = neighbor_share,
     .is_share = true},
});

constexpr auto kRows = [] {
    std::array<HeadMeasureInfo, kHeadMeasures> rows;
    std::ranges::copy(kMeasuresOnRequest, std::ranges::copy(kRunRows, rows.begin()).out);
    return rows;
}();

static_assert(rows_fit(kRows, &HeadMeasureInfo::id, &HeadMeasureInfo::label,
                       &HeadMeasureInfo::order));
static_assert(has_columns(kRunRows, &HeadMeasureInfo::of_row));
static_assert(std::ranges::all_of(kMeasuresOnRequest, [](const HeadMeasureInfo& row) {
    return (!row.of_class || (!row.noun_of_class.empty() && !row.sentence.empty())) &&
           (!row.is_computed() || (!row.card.empty() && !row.card_tip.empty()));
}));

}  // namespace

std::string HeadMeasureInfo::noun() const {
    return (is_share ? "share " : "") + std::string(label);
}

std::string HeadMeasureInfo::column(bool brackets) const {
    const std::string name(label), of(unit);
    if (of.empty()) return name;
    return brackets ? name + " (" + of + ")" : name + ", " + of;
}

std::span<const HeadMeasureInfo> all_head_measures() { return kRows; }
std::span<const HeadMeasureInfo> run_measures() { return all_head_measures().first(kRunMeasures); }
const HeadMeasureInfo& info(HeadMeasure measure) {
    return kRows.at(static_cast<std::size_t>(measure));
}

}  // namespace headlight

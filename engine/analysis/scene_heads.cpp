#include "analysis/scene_heads.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace headlight {

namespace {

using Kins = std::vector<Kin>;  // of every token

void check(const MatrixView& attention, Index heads, const TokenLayout& layout,
           const SceneTruth& truth) {
    const auto patches = static_cast<Index>(truth.shape.size());
    const Index n = layout.prefix() + patches;
    if (attention.rows == heads * n && attention.cols == n && layout.patches == patches) return;
    throw AnalysisError("Attention over a scene of " + std::to_string(patches) +
                        " patches: expected [" + std::to_string(heads * n) + ", " +
                        std::to_string(n) + "], found [" + std::to_string(attention.rows) + ", " +
                        std::to_string(attention.cols) + "].");
}

// The kind of every token for a query on shape `own`, whose twin is `twin`.
Kins kins_of(const TokenLayout& layout, const SceneTruth& truth, int own, int twin) {
    Kins kins(static_cast<std::size_t>(layout.prefix()), Kin::prefix);
    for (const int shape : truth.shape)
        kins.push_back(shape < 0       ? Kin::background
                       : shape == own  ? Kin::own
                       : shape == twin ? Kin::twin
                                       : Kin::other);
    return kins;
}

KinShares shares_of(const float* row, const Kins& kins) {
    KinShares shares{};
    for (std::size_t j = 0; j < kins.size(); ++j) shares[kins[j]] += row[j];
    return shares;
}

KinShares count(const Kins& kins) {
    KinShares counts{};
    for (const Kin kin : kins) counts[kin] += 1;
    return counts;
}

template <std::size_t N>
void add_to(std::array<double, N>& sum, const std::array<double, N>& numbers, double factor = 1) {
    for (std::size_t i = 0; i < N; ++i) sum.at(i) += factor * numbers.at(i);
}

KinShares by(const KinShares& sum, double count) {
    KinShares mean{};
    if (count > 0) add_to(mean, sum, 1 / count);
    return mean;
}

}  // namespace

void SceneHeads::add(const MatrixView& attention, Index heads, const TokenLayout& layout,
                     const PatchGrid& grid, const SceneTruth& truth,
                     const std::vector<int>& twins) {
    check(attention, heads, layout, truth);
    heads_.resize(static_cast<std::size_t>(heads));
    const Index n = layout.count();
    const auto row = [&](Index head, Index token) { return attention.row(head * n + token); };

    const auto numbers = head_numbers(attention, heads, layout, grid);
    for (std::size_t h = 0; h < heads_.size(); ++h) add_to(heads_[h].numbers, numbers[h]);
    ++scenes_;

    bool pair_was_read = false;
    for (std::size_t p = 0; p < truth.shape.size(); ++p) {
        const int own = truth.shape[p];
        const int twin = own < 0 ? -1 : twins[static_cast<std::size_t>(own)];
        if (twin < 0) continue;
        const Kins kins = kins_of(layout, truth, own, twin);
        const KinShares counts = count(kins);
        if (counts[Kin::twin] == 0) continue;  // the twin is hidden by another shape
        add_to(area_, counts, 1.0 / static_cast<double>(n));
        ++readers_;
        if (counts[Kin::other] > 0) ++readers_of_others_;
        const Index token = layout.prefix() + static_cast<Index>(p);
        for (std::size_t h = 0; h < heads_.size(); ++h) {
            const KinShares shares = shares_of(row(static_cast<Index>(h), token), kins);
            add_to(heads_[h].pair, shares);
            if (counts[Kin::other] == 0) continue;
            heads_[h].per_twin_patch += shares[Kin::twin] / counts[Kin::twin];
            heads_[h].per_other_patch += shares[Kin::other] / counts[Kin::other];
        }
        if (pair_was_read || layout.class_tokens == 0) continue;
        pair_was_read = true;  // only once per scene
        ++scenes_with_pair_;
        for (std::size_t h = 0; h < heads_.size(); ++h)
            add_to(heads_[h].class_token, shares_of(row(static_cast<Index>(h), 0), kins));
    }
}

void SceneHeads::add(const SceneHeads& other) {
    heads_.resize(std::max(heads_.size(), other.heads_.size()));
    for (std::size_t h = 0; h < other.heads_.size(); ++h) {
        Sums& to = heads_[h];
        const Sums& from = other.heads_[h];
        add_to(to.pair, from.pair);
        add_to(to.class_token, from.class_token);
        to.per_twin_patch += from.per_twin_patch;
        to.per_other_patch += from.per_other_patch;
        add_to(to.numbers, from.numbers);
    }
    add_to(area_, other.area_);
    readers_ += other.readers_;
    readers_of_others_ += other.readers_of_others_;
    scenes_ += other.scenes_;
    scenes_with_pair_ += other.scenes_with_pair_;
}

std::vector<SceneHeadNumbers> SceneHeads::result() const {
    std::vector<SceneHeadNumbers> result;
    for (const Sums& sums : heads_) {
        SceneHeadNumbers numbers;
        numbers.pair = by(sums.pair, readers_);
        numbers.by_area = by(area_, readers_);
        numbers.twin_to_other = readers_of_others_ > 0 ? sums.per_twin_patch / sums.per_other_patch
                                                       : std::numeric_limits<double>::quiet_NaN();
        numbers.class_token = by(sums.class_token, scenes_with_pair_);
        for (std::size_t i = 0; i < kHeadMeasures; ++i)
            numbers.numbers.at(i) = sums.numbers.at(i) / scenes_;
        result.push_back(numbers);
    }
    return result;
}

}  // namespace headlight

#include "attention/variant.h"

namespace headlight {

std::span<const ScoreInfo> all_scores() {
    static constexpr auto table = std::to_array<ScoreInfo>({
        {Score::scaled_dot, "scaled dot product", "", ""},
        {Score::dot, "dot product", "", ""},
        {Score::cosine, "cosine", "", ""},
        {Score::general, "general", "[H, head_dim, head_dim]", ""},
        {Score::additive, "additive", "[H, A, 2·head_dim]", "[H, A]"},
        {Score::location, "by location", "[H, M, head_dim], M being the number of keys", ""},
    });
    static_assert(rows_fit(table, &ScoreInfo::id, &ScoreInfo::label));
    return table;
}

const ScoreInfo& info(Score score) { return all_scores()[static_cast<std::size_t>(score)]; }

}  // namespace headlight

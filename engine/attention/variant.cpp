#include "attention/variant.h"

namespace headlight {

const std::vector<ScoreInfo>& all_scores() {
    static const std::vector<ScoreInfo> table{
        {Score::scaled_dot, "scaled dot product", "", ""},
        {Score::dot, "dot product", "", ""},
        {Score::cosine, "cosine", "", ""},
        {Score::general, "general", "[H, head_dim, head_dim]", ""},
        {Score::additive, "additive", "[H, A, 2·head_dim]", "[H, A]"},
        {Score::location, "by location", "[H, M, head_dim], M being the number of keys", ""},
    };
    return table;
}

const ScoreInfo& info(Score score) { return all_scores()[static_cast<std::size_t>(score)]; }

}  // namespace headlight

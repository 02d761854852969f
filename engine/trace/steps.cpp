#include "trace/steps.h"

#include "kernels/names.h"

namespace headlight {

const std::array<StepInfo, kStepCount>& all_steps() {
    static constexpr std::array<StepInfo, kStepCount> table{{
        {Step::image, "image"},
        {Step::patches, "patches"},
        {Step::given, "given"},
        {Step::curve, "curve"},
        {Step::windows, "windows"},
        {Step::embed, "embed"},
        {Step::prefix, "prefix"},
        {Step::position, "position"},
        {Step::queries, "queries"},
        {Step::pre_norm, "pre_norm"},
        {Step::merge_gather, "merge_gather"},
        {Step::merge_norm, "merge_norm"},
        {Step::merge, "merge"},
        {Step::norm1, "norm1"},
        {Step::qkv, "qkv"},
        {Step::key_value, "key_value"},
        {Step::qkv_activation, "qkv_activation"},
        {Step::heads, "heads"},
        {Step::qk_norm, "qk_norm"},
        {Step::rotary, "rotary"},
        {Step::score_query, "score_query"},
        {Step::score_key, "score_key"},
        {Step::products, "products"},
        {Step::scale, "scale"},
        {Step::relative_bias, "relative_bias"},
        {Step::mask, "mask"},
        {Step::softmax, "softmax"},
        {Step::attention_dropout, "attention_dropout"},
        {Step::turn, "turn"},
        {Step::mix, "mix"},
        {Step::concat, "concat"},
        {Step::concat_norm, "concat_norm"},
        {Step::project, "project"},
        {Step::project_activation, "project_activation"},
        {Step::output_dropout, "output_dropout"},
        {Step::ls1, "ls1"},
        {Step::value_skip, "value_skip"},
        {Step::skip, "skip"},
        {Step::norm2, "norm2"},
        {Step::mlp_in, "mlp_in"},
        {Step::activation, "activation"},
        {Step::mlp_norm, "mlp_norm"},
        {Step::mlp_out, "mlp_out"},
        {Step::ls2, "ls2"},
        {Step::residual2, "residual2"},
        {Step::norm, "norm"},
        {Step::pool_probe, "pool_probe"},
        {Step::pool_query, "pool_query"},
        {Step::pool_key_value, "pool_key_value"},
        {Step::pool_heads, "pool_heads"},
        {Step::pool_products, "pool_products"},
        {Step::pool_scale, "pool_scale"},
        {Step::pool_softmax, "pool_softmax"},
        {Step::pool_mix, "pool_mix"},
        {Step::pool_concat, "pool_concat"},
        {Step::pool_project, "pool_project"},
        {Step::pool_norm, "pool_norm"},
        {Step::pool_mlp_in, "pool_mlp_in"},
        {Step::pool_activation, "pool_activation"},
        {Step::pool_mlp_out, "pool_mlp_out"},
        {Step::pool, "pool"},
        {Step::pooled_norm, "pooled_norm"},
        {Step::pooler, "pooler"},
        {Step::pooler_tanh, "pooler_tanh"},
        {Step::classify, "head"},
        {Step::point, "point"},
    }};
    static_assert(rows_fit(table, &StepInfo::id));
    return table;
}

const StepInfo& info(Step step) { return all_steps()[static_cast<std::size_t>(step)]; }

}  // namespace headlight

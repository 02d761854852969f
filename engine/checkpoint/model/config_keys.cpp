#include "model/config_keys.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "files/error.h"
#include "model/read_size_claims.h"

namespace headlight {

namespace {

// Keys of Hugging Face's, timm's and OpenCLIP's configs that have no effect here.
constexpr std::array kHarmless{
    // Names, versions, licenses, and how the weights are stored and run.
    "_attn_implementation _attn_implementation_autoset _attn_implementation_internal "
    "_commit_hash _name_or_path _valid_processor_keys architectures attn_implementation "
    "auto_map classifier custom_load data_format description device disable_grouping dtype "
    "feature_extractor_type file first_conv gradient_checkpointing hf_hub_filename hf_hub_id "
    "image_processor_type input_data_format label_descriptions library_name license "
    "model_type notes origin_url paper_ids paper_name processor_class return_tensors source "
    "tag tags task_specific_params tf_legacy_loss timm_model_pretrained tokenizer_class "
    "torch_dtype torchscript transformers_version url use_bfloat16 use_fast version "
    "xla_device",
    // What the tensors show: sizes, and which parts exist.
    "apply_layernorm attention_bias bias class_token depth embed_dim fc_norm final_norm "
    "no_ln_pre pos_embed_type "
    "head_dim hidden_size in_chans init_values intermediate_size key_bias "
    "layer_scale_init_value layers layerscale_value ls_init_value mlp_bias mlp_ratio "
    "no_embed_class num_channels num_classes num_features num_hidden_layers num_labels "
    "num_layers num_patches num_reg_tokens num_register_tokens patch_size path_norm pool_size "
    "pooler_output_size pre_norm proj_bias projection_dim qk_norm qkv_bias qkv_fused "
    "query_bias reg_tokens scale_attn_inner scale_attn_norm scale_mlp scale_mlp_norm "
    "swiglu_mlp timm_proj timm_proj_bias use_abs_pos_emb use_absolute_embeddings "
    "use_absolute_position_embeddings use_fc_norm use_gated_mlp use_mean_pooling "
    "use_relative_position_bias use_shared_relative_position_bias use_swiglu_ffn value_bias "
    "vision_use_head vocab_size width",
    // Training, and models next to the encoder.
    "add_fpn auxiliary_channels auxiliary_concat_input auxiliary_loss_weight "
    "auxiliary_num_convs custom_text encoder_stride fix_init init_logit_bias init_logit_scale "
    "initializer_factor initializer_range logit_scale_init_value mask_ratio norm_pix_loss "
    "patch_dropout pool_scales pos_embed_jitter pos_embed_rescale pos_embed_shift "
    "problem_type id2label label2id semantic_loss_ignore_index test_crop_pct test_input_size "
    "text_cfg "
    "text_config text_config_dict timm_drop timm_drop_path use_auxiliary_head use_mask_token "
    "vision_config_dict weight_init",
    // Other allowed picture sizes, and additional return values.
    "dynamic_img_size fixed_input_size min_input_size out_features out_indices "
    "output_attentions output_hidden_states output_scores output_tokens reshape_hidden_states "
    "return_dict return_dict_in_generate stage_names strict_img_size",
    // Steps of a processor that do not matter here: pixels are RGB, labels are not read.
    "do_convert_rgb do_reduce_label do_reduce_labels",
    // A timm tower in OpenCLIP has its own activation.
    "quick_gelu",
    // Adapters: how they were trained, and on which modules, which their tensors show.
    "auto_mapping base_model_class corda_config ensure_weight_tying eva_config "
    "exclude_modules feedforward_modules inference_mode init_ia3_weights layers_pattern "
    "layers_to_transform loftq_config lora_ga_config megatron_config megatron_core "
    "parent_library peft_version qalora_group_size revision runtime_config target_modules "
    "target_parameters task_type velora_config",
    // Text and text generation.
    "add_cross_attention bad_words_ids begin_suppress_tokens chunk_size_feed_forward "
    "cross_attention_hidden_size diversity_penalty do_sample early_stopping "
    "encoder_no_repeat_ngram_size exponential_decay_length_penalty finetuning_task is_decoder "
    "is_encoder_decoder length_penalty max_length min_length no_repeat_ngram_size "
    "num_beam_groups num_beams num_return_sequences prefix remove_invalid_values "
    "repetition_penalty suppress_tokens temperature tie_encoder_decoder tie_word_embeddings "
    "top_k top_p typical_p use_cache",
};
constexpr auto kHarmlessEndings =
    std::to_array<std::string_view>({"dropout", "_dropout_prob", "_dropout_rate", "_drop_rate",
                                     "drop_path_rate", "drop_rate", "_token_id", "_token_ids"});
constexpr std::string_view kDecoder = "decoder_";  // for MAE

// The only values for which these keys have no effect.
const std::map<std::string_view, Json>& neutral_values() {
    static const std::map<std::string_view, Json> values{{"alora_invocation_tokens", nullptr},
                                                         {"arrow_config", nullptr},
                                                         {"attentional_pool", false},
                                                         {"fan_in_fan_out", false},
                                                         {"input_patchnorm", false},
                                                         {"kasa_config", nullptr},
                                                         {"layer_replication", nullptr},
                                                         {"mode", "RGB"},
                                                         {"monteclora_config", nullptr},
                                                         {"partial_rotary_factor", 1.0},
                                                         {"position_embedding_type", "absolute"},
                                                         {"pruned_heads", Json::object()},
                                                         {"rope_type", "default"},
                                                         {"size_divisor", 1},
                                                         {"trainable_token_indices", nullptr},
                                                         {"use_bdlora", nullptr},
                                                         {"use_qalora", false}};
    return values;
}

bool is_harmless(const std::string& key) {
    static const std::set<std::string> harmless = [] {
        std::set<std::string> keys;
        for (const char* words : kHarmless) {
            std::istringstream text(words);
            keys.insert(std::istream_iterator<std::string>(text), {});
        }
        return keys;
    }();
    return harmless.contains(key) || is_size_key(key) || key.starts_with(kDecoder) ||
           std::ranges::any_of(kHarmlessEndings, [&](auto end) { return key.ends_with(end); });
}

// Returns true if the value has no effect. Throws for a step that is switched on but not supported,
// and for a setting with another meaning.
bool is_neutral(const std::string& file, const std::string& key, const Json& value) {
    const auto setting = neutral_values().find(key);
    const bool is_step = key.starts_with("do_") && value.is_boolean();
    if (setting == neutral_values().end() && !is_step) return false;
    const Json expected = is_step ? Json(false) : setting->second;
    if (value == expected) return true;
    throw CheckpointError(file + ": " + in_quotes(key) + ": expected " + excerpt(expected) +
                          ", the only value that Headlight supports, found " + excerpt(value) +
                          ".");
}

void collect(const Json& object, const std::string& file, const ReadValues& read,
             const std::string& path, std::vector<UnreadValue>& unread) {
    for (const auto& [key, value] : object.items()) {
        if (read.entered.contains(&value)) {
            collect(value, file, read, path + key + ".", unread);
            continue;
        }
        if (value.is_null() || read.asked.contains(&value) || is_harmless(key)) continue;
        if (!is_neutral(file, key, value)) unread.push_back({path + key, key, excerpt(value)});
    }
}

}  // namespace

std::vector<UnreadValue> unread_values(const Section& top, const ReadValues& read) {
    std::vector<UnreadValue> unread;
    collect(top.object(), top.file(), read, "", unread);
    return unread;
}

}  // namespace headlight

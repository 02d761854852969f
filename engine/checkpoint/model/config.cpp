#include "model/config.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "files/error.h"
#include "model/config_keys.h"
#include "model/config_parts.h"
#include "model/read_size_claims.h"

namespace headlight {

namespace {

// Hugging Face's and timm's names besides Headlight's. "gelu_fast" and "gelu_new" are the tanh
// approximation; "gelu_python" is the exact one.
const std::map<std::string, Activation>& other_activations() {
    static const std::map<std::string, Activation> names{
        {"gelu_new", Activation::gelu_tanh},          {"gelu_fast", Activation::gelu_tanh},
        {"gelu_pytorch_tanh", Activation::gelu_tanh}, {"gelu_python", Activation::gelu},
        {"quickgelu", Activation::quick_gelu},        {"swish", Activation::silu}};
    return names;
}

std::optional<Activation> activation_of(const Section& section, const char* key) {
    const auto name = section.text(key);
    if (!name) return {};
    if (const auto ours = value_named<Activation>(*name)) return ours;
    const auto other = other_activations().find(*name);
    if (other == other_activations().end())
        section.refuse(key, alternatives(names_of<Activation>()), *section.find(key));
    return other->second;
}

template <class Value>
std::optional<Value> named_value(const Section& section, const char* key) {
    const auto name = section.text(key);
    if (!name) return {};
    if (const auto value = value_named<Value>(*name)) return value;
    section.refuse(key, alternatives(names_of<Value>()), *section.find(key));
}

// A number is the alpha of another program.
std::optional<Alpha> alpha_of(const Section& section, const char* key) {
    const Json* value = section.find(key);
    if (value == nullptr || value->is_number()) return {};
    if (const auto alpha = value_named<Alpha>(section.text(key).value_or(""))) return alpha;
    section.refuse(key, alternatives(names_of<Alpha>()), *section.find(key));
}

// One number, or one per stage.
void read_heads(const Section& section, ModelConfig& config) {
    if (section.is_list("num_heads"))
        config.stage_heads = section.wholes("num_heads", kMaxSide);
    else
        take(config.num_heads, section.whole("num_heads", kMaxSide));
}

// For models in stages, in Hugging Face's and timm's notation.
void read_stages(const Section& section, ModelConfig& config) {
    take(config.depths, section.wholes("depths", kMaxSide));
    take(config.window_sizes, section.wholes("window_size", kMaxSide));
}

void read_ours(const Section& section, ModelConfig& config) {
    take(config.family, section.text("family"));
    read_heads(section, config);
    take(config.layer_norm_eps, section.positive("layer_norm_eps"));
    take(config.qk_scale, section.positive("qk_scale"));
    take(config.activation, activation_of(section, "activation"));
    take(config.gate, activation_of(section, "activation"));
    take(config.rotary_reference, section.size("ref_feat_shape"));
    take(config.head_activation, named_value<HeadCurve>(section, "head_activation"));
    take(config.resampling, named_value<Resampling>(section, "resampling"));
    take(config.norm_first, section.flag("norm_first"));
    take(config.alpha, alpha_of(section, "alpha"));
    take(config.grid, section.grid("grid"));
    take(config.tokens_before, section.whole("tokens_before", kMaxSide, 0));
    take(config.sample, section.whole("sample", kMaxSide));
}

// A transformer's own settings in Hugging Face's notation.
void read_encoder(const Section& section, ModelConfig& config) {
    take(config.num_heads, section.whole("num_attention_heads", 65'536));
    take(config.activation, activation_of(section, "hidden_act"));
    take(config.native_size, section.size("image_size"));
    take(config.rotary_base, section.positive("rope_theta"));
    if (const auto rope = section.section("rope_parameters"))
        take(config.rotary_base, rope->positive("rope_theta"));
}

// Arguments that override the defaults of a timm model. timm's EVA-02 has no setting for the
// activation of its gates.
void read_arguments(const Section& arguments, ModelConfig& config) {
    read_heads(arguments, config);
    read_stages(arguments, config);
    take(config.activation, activation_of(arguments, "act_layer"));
    const bool is_eva = config.architecture && config.architecture->starts_with("eva");
    if (!is_eva) take(config.gate, activation_of(arguments, "act_layer"));
    take(config.pooling, arguments.text("global_pool"));
    take(config.rotary_base, arguments.positive("rope_temperature"));
    take(config.rotary_reference, arguments.size("ref_feat_shape"));
    if (const auto size = arguments.size("img_size")) config.frame = config.native_size = size;
    for (const auto& [key, value] : arguments.object().items())
        config.arguments[key] = value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Records unread keys. Any argument of a model may change its result.
void note_unread(const Section& top, const ReadValues& read, ModelConfig& config) {
    for (const UnreadValue& unread : unread_values(top, read)) {
        const bool is_argument = unread.path.starts_with("model_args.") ||
                                 unread.path.find(".timm_model_kwargs.") != std::string::npos;
        if (is_argument)
            config.other_arguments.push_back(unread.key);
        else
            config.not_read.push_back(in_quotes(unread.path) + " " + unread.value);
    }
}

// A tower that OpenCLIP takes from timm. Its activation is timm's, whatever quick_gelu says. The
// default pooling is the mean.
void read_trunk(const Section& vision, const std::string& name, ModelConfig& config) {
    config.architecture = name;
    const std::string pooling = vision.text("timm_pool").value_or("avg");
    if (!pooling.empty()) config.pooling = pooling;
    if (const auto arguments = vision.section("timm_model_kwargs"))
        read_arguments(*arguments, config);
}

// OpenCLIP's own tower. By default, heads are 64 wide and the class token is pooled.
void read_own_tower(const Section& vision, ModelConfig& config) {
    constexpr int kHeadWidth = 64;
    config.head_width = vision.whole("head_width", kMaxSide).value_or(kHeadWidth);
    const std::string pooling = vision.text("pool_type").value_or("tok");
    config.pooling = pooling == "tok" ? "token" : pooling;
    take(config.norm_after_pooling, vision.flag("final_ln_after_pool"));
    if (const auto norms = vision.section("norm_kwargs"))
        take(config.layer_norm_eps, norms->positive("eps"));
    const auto curve = vision.section("act_kwargs");
    if (curve && curve->text("approximate") == "tanh" && config.activation == Activation::gelu)
        config.activation = Activation::gelu_tanh;
}

// OpenCLIP: model_cfg { quick_gelu, vision_cfg { ... } }, preprocess_cfg.
void read_open_clip(const Section& section, ModelConfig& config) {
    const auto model = section.section("model_cfg");
    if (!model) return;
    config.architecture = "openclip";
    const auto vision = model->section("vision_cfg");
    if (vision) take(config.native_size, vision->size("image_size"));
    const auto trunk = vision ? vision->text("timm_model_name") : std::nullopt;
    if (trunk) return read_trunk(*vision, *trunk, config);
    const bool quick = model->flag("quick_gelu").value_or(false);
    config.activation = quick ? Activation::quick_gelu : Activation::gelu;
    if (vision) read_own_tower(*vision, config);
}

void check(const ModelConfig& config) {
    if (config.std &&
        std::any_of(config.std->begin(), config.std->end(), [](float std) { return !(std > 0); }))
        throw CheckpointError(config.name +
                              ": \"std\": expected positive numbers, found one that is not.");
}

// Head counts under less common keys only count if no usual key is given.
void read_sizes(const Section& top, ModelConfig& config) {
    config.sizes = size_claims(top.object());
    for (const SizeClaim& claim : config.sizes)
        if (claim.size == ModelSize::heads && !config.num_heads && !config.stage_heads)
            config.num_heads = claim.value;
}

ModelConfig read(const Json& object, const std::string& name) {
    ReadValues asked;
    const Section top(object, name, asked);
    ModelConfig config;
    config.name = name;
    take(config.architecture, top.text("architecture"));
    // Hugging Face's MAE and MSN have the names of ViT.
    for (const char* type : {"vit_mae", "vit_msn"})
        if (top.text("model_type") == type) config.architecture = type;
    take(config.pooling, top.text("global_pool"));
    take(config.pooler_activation, top.text("pooler_act"));

    read_encoder(top, config);
    if (const auto vision = top.section("vision_config")) {
        read_encoder(*vision, config);
        take(config.layer_norm_eps, vision->positive("layer_norm_eps"));
    }
    read_open_clip(top, config);
    read_stages(top, config);
    read_processor(top, config);
    for (const char* part : {"pretrained_cfg", "preprocess_cfg"})
        if (const auto section = top.section(part)) {
            read_timm_picture(*section, config);
            if (part == std::string_view("pretrained_cfg")) take_usual_of_timm(config);
            read_classes(*section, config);
        }
    if (const auto preprocess = top.section("preprocess_cfg"))  // OpenCLIP's
        take(config.frame, preprocess->size("size"));
    if (const auto arguments = top.section("model_args")) read_arguments(*arguments, config);
    if (is_processor(top)) {
        read_mean(top, config);
    } else {
        // timm's older form, without pretrained_cfg.
        constexpr std::array kPicture{"crop_pct", "interpolation"};
        const bool is_timm = top.find("architecture") &&
                             std::ranges::any_of(kPicture, [&](auto key) { return top.find(key); });
        if (is_timm) take_usual_of_timm(config);
        read_timm_picture(top, config);
    }
    read_classes(top, config);
    read_ours(top, config);
    read_sizes(top, config);
    read_lora(top, config.lora);
    check(config);
    note_unread(top, asked, config);
    return config;
}

constexpr std::array kOurKeys{"family",     "num_heads",      "layer_norm_eps", "qk_scale",
                              "activation", "resampling",     "norm_first",     "mean",
                              "std",        "alpha",          "image_size",     "ref_feat_shape",
                              "lora_alpha", "use_rslora",     "grid",           "tokens_before",
                              "sample",     "head_activation"};
// Every config of Hugging Face, timm or OpenCLIP contains one of these.
constexpr std::array kSignsOfOthers{
    "model_type",        "num_attention_heads", "vision_config", "architecture", "pretrained_cfg",
    "model_cfg",         "model_args",          "image_mean",    "do_normalize", "hidden_size",
    "num_hidden_layers", "intermediate_size",   "depth",         "embed_dim"};

void expect_our_keys(const Json& object, const std::string& name) {
    std::string keys;
    for (const char* key : kOurKeys) keys.append(keys.empty() ? "" : ", ").append(key);
    for (const auto& item : object.items())
        if (std::find(kOurKeys.begin(), kOurKeys.end(), item.key()) == kOurKeys.end())
            throw CheckpointError(name + ": expected " + keys + ", found " + in_quotes(item.key()) +
                                  ".");
        else if (item.value().is_null())
            throw CheckpointError(name + ": " + in_quotes(item.key()) +
                                  ": expected a value, found null. Leave it out.");
}

}  // namespace

ModelConfig parse_config(std::span<const std::byte> json, const std::string& name) {
    return read(parse_object(json, name), name);
}

ModelConfig parse_given_config(std::span<const std::byte> json, const std::string& name) {
    const Json object = parse_object(json, name);
    const auto has = [&](const char* key) { return object.contains(key); };
    const bool is_ours = std::none_of(std::begin(kSignsOfOthers), std::end(kSignsOfOthers), has);
    if (is_ours) expect_our_keys(object, name);
    ModelConfig config = read(object, name);
    config.is_ours = is_ours;
    return config;
}

}  // namespace headlight

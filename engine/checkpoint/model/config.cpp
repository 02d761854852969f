#include "model/config.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "files/error.h"
#include "json/bounded_json.h"
#include "model/read_size_claims.h"

namespace headlight {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = 16'000'000;  // ImageNet-22k's names are 1 MB
const JsonBounds kBounds{.levels = 32, .entries = kMaxBytes};
constexpr int kMaxSide = 65'536;
constexpr std::size_t kMaxClasses = 1'000'000;

// Hugging Face's and timm's names beside ours. "gelu_fast" and "gelu_new" are the approximation by
// tanh; "gelu_python" is the exact one.
const std::map<std::string, Activation>& other_activations() {
    static const std::map<std::string, Activation> names{
        {"gelu_new", Activation::gelu_tanh},          {"gelu_fast", Activation::gelu_tanh},
        {"gelu_pytorch_tanh", Activation::gelu_tanh}, {"gelu_python", Activation::gelu},
        {"quickgelu", Activation::quick_gelu},        {"swish", Activation::silu}};
    return names;
}

std::string excerpt(const Json& value) {
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

// One object of the file. Values are taken by key; null counts as absent, as Python writes None.
class Section {
  public:
    Section(const Json& object, const std::string& file) : object_(object), file_(file) {}

    [[nodiscard]] const Json* find(const char* key) const {
        const auto found = object_.find(key);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    // Another object inside; nothing where there is none of that name.
    [[nodiscard]] std::optional<Section> section(const char* key) const {
        const Json* value = find(key);
        if (!value || !value->is_object()) return {};
        return Section(*value, file_);
    }

    [[nodiscard]] std::optional<std::string> text(const char* key) const {
        const Json* value = find(key);
        if (!value) return {};
        if (!value->is_string()) refuse(key, "a text", *value);
        return value->get<std::string>();
    }

    [[nodiscard]] std::optional<bool> flag(const char* key) const {
        const Json* value = find(key);
        if (!value) return {};
        if (!value->is_boolean()) refuse(key, "true or false", *value);
        return value->get<bool>();
    }

    [[nodiscard]] std::optional<int> whole(const char* key, int most) const {
        const Json* value = find(key);
        if (!value) return {};
        return whole_of(key, *value, 1, most);
    }

    // One for each stage, or one alone.
    [[nodiscard]] std::optional<std::vector<int>> wholes(const char* key, int most) const {
        constexpr std::size_t kMostStages = 64;
        const Json* value = find(key);
        if (!value) return {};
        const Json list = value->is_array() ? *value : Json::array({*value});
        if (list.empty() || list.size() > kMostStages)
            refuse(key, "a whole number for each stage", *value);
        std::vector<int> numbers;
        for (const Json& number : list) numbers.push_back(whole_of(key, number, 0, most));
        return numbers;
    }

    [[nodiscard]] bool is_list(const char* key) const {
        const Json* value = find(key);
        return value != nullptr && value->is_array();
    }

    [[nodiscard]] std::optional<float> positive(const char* key) const {
        const Json* value = find(key);
        if (!value) return {};
        const double number = value->is_number() ? value->get<double>() : 0;
        if (!(number > 0) || !(number <= 1e6)) refuse(key, "a positive number", *value);
        return static_cast<float>(number);
    }

    // One number for each channel, or one for all.
    [[nodiscard]] std::optional<std::array<float, 3>> channels(const char* key) const {
        const Json* value = find(key);
        if (!value) return {};
        const Json list = value->is_array() ? *value : Json::array({*value});
        const bool numbers = (list.size() == 1 || list.size() == 3) &&
                             std::all_of(list.begin(), list.end(), [](const Json& x) {
                                 return x.is_number() && std::abs(x.get<double>()) <= 1e6;
                             });
        if (!numbers) refuse(key, "three numbers", *value);
        std::array<float, 3> result{};
        for (std::size_t c = 0; c < 3; ++c) result[c] = list[list.size() == 1 ? 0 : c].get<float>();
        return result;
    }

    // A side, [height, width], or [channels, height, width] as timm writes it.
    [[nodiscard]] std::optional<PixelSize> size(const char* key) const {
        const Json* value = find(key);
        if (!value) return {};
        if (!value->is_array()) {
            const int side = whole_of(key, *value, 1, kMaxSide);
            return PixelSize{side, side};
        }
        if (value->size() < 2 || value->size() > 3) refuse(key, "a side or a size", *value);
        const std::size_t last = value->size() - 1;
        return PixelSize{whole_of(key, (*value)[last - 1], 1, kMaxSide),
                         whole_of(key, (*value)[last], 1, kMaxSide)};
    }

    [[nodiscard]] int whole_of(const char* key, const Json& value, int least, int most) const {
        const bool is_whole =
            value.is_number_integer() ||
            (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
        const double number = is_whole ? value.get<double>() : -1;
        if (!is_whole || number < least || number > most)
            refuse(key,
                   "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                   value);
        return static_cast<int>(number);
    }

    [[noreturn]] void refuse(const char* key, const std::string& expected,
                             const Json& found) const {
        throw CheckpointError(file_ + ": \"" + key + "\": expected " + expected + ", found " +
                              excerpt(found) + ".");
    }

    [[nodiscard]] const Json& object() const { return object_; }

  private:
    const Json& object_;
    const std::string& file_;
};

// What `found` says goes before what is there.
template <typename T>
void take(std::optional<T>& into, std::optional<T> found) {
    if (found) into = std::move(found);
}

std::optional<Activation> activation_of(const Section& section, const char* key) {
    const auto name = section.text(key);
    if (!name) return {};
    if (const auto ours = value_named<Activation>(*name)) return ours;
    const auto other = other_activations().find(*name);
    if (other == other_activations().end())
        section.refuse(key, alternatives(kNames<Activation>), *section.find(key));
    return other->second;
}

std::optional<Resampling> resampling_of(const Section& section, const char* key) {
    const auto name = section.text(key);
    if (!name) return {};
    if (const auto resampling = value_named<Resampling>(*name)) return resampling;
    section.refuse(key, alternatives(kNames<Resampling>), *section.find(key));
}

// Names as timm and OpenCLIP write them, or Pillow's numbers, which Hugging Face writes.
void read_interpolation(const Section& section, const char* key, ModelConfig& config) {
    constexpr std::array pillow{Interpolation::nearest, Interpolation::lanczos,
                                Interpolation::bilinear, Interpolation::bicubic};
    const Json* value = section.find(key);
    if (!value) return;
    std::optional<Interpolation> found;
    if (value->is_string())
        found = value_named<Interpolation>(value->get_ref<const std::string&>());
    else if (const auto number = static_cast<std::size_t>(section.whole_of(key, *value, 0, 5));
             number < pillow.size())
        found = pillow[number];
    if (found)
        config.interpolation = found;
    else
        config.remarks.push_back(std::string(key) + " " + excerpt(*value) +
                                 " is not offered here, so another is taken");
}

// Names by number: {"0": "tench"} or a list.
std::vector<std::string> names_of(const Section& section, const char* key) {
    const Json* value = section.find(key);
    if (!value || value->size() > kMaxClasses) return {};
    std::vector<std::string> names(value->size());
    std::size_t next = 0;
    for (const auto& [number, name] : value->items()) {
        std::size_t place = next++;
        if (value->is_object()) {
            const bool digits = !number.empty() && number.size() <= 7 &&
                                std::all_of(number.begin(), number.end(),
                                            [](char c) { return c >= '0' && c <= '9'; });
            place = digits ? std::stoul(number) : names.size();
        }
        if (place >= names.size() || !name.is_string())
            section.refuse(key, "a name for each class, numbered from 0", *value);
        names[place] = name.get<std::string>();
    }
    // What Hugging Face writes where nobody gave names says nothing.
    const bool numbers_only = std::all_of(names.begin(), names.end(), [](const std::string& name) {
        return name.starts_with("LABEL_");
    });
    return numbers_only ? std::vector<std::string>{} : names;
}

// timm names classes by their identifiers and describes these in another table.
void describe_classes(const Section& section, std::vector<std::string>& names) {
    const auto descriptions = section.section("label_descriptions");
    if (!descriptions) return;
    for (std::string& name : names) {
        const Json* text = descriptions->find(name.c_str());
        if (text && text->is_string()) name = text->get<std::string>();
    }
}

// A number is another program's alpha.
std::optional<Alpha> alpha_of(const Section& section, const char* key) {
    const Json* value = section.find(key);
    if (value == nullptr || value->is_number()) return {};
    if (const auto alpha = value_named<Alpha>(section.text(key).value_or(""))) return alpha;
    section.refuse(key, alternatives(kNames<Alpha>), *section.find(key));
}

void read_classes(const Section& section, ModelConfig& config) {
    for (const char* key : {"id2label", "label_names"})
        if (auto names = names_of(section, key); !names.empty()) config.class_names = names;
    describe_classes(section, config.class_names);
}

// One number, or those of stages.
void read_heads(const Section& section, ModelConfig& config) {
    if (section.is_list("num_heads"))
        config.stage_heads = section.wholes("num_heads", kMaxSide);
    else
        take(config.num_heads, section.whole("num_heads", kMaxSide));
}

// Of models in stages, as Hugging Face and timm call it.
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
    take(config.resampling, resampling_of(section, "resampling"));
    take(config.norm_first, section.flag("norm_first"));
    take(config.alpha, alpha_of(section, "alpha"));
}

// A transformer's own numbers in Hugging Face's words.
void read_encoder(const Section& section, ModelConfig& config) {
    take(config.num_heads, section.whole("num_attention_heads", 65'536));
    take(config.activation, activation_of(section, "hidden_act"));
    take(config.native_size, section.size("image_size"));
    take(config.rotary_base, section.positive("rope_theta"));
    if (const auto rope = section.section("rope_parameters"))
        take(config.rotary_base, rope->positive("rope_theta"));
}

// What a timm model is made with instead of what its name says: read here, seen from the tensors,
// or of training alone. Another may change what is computed.
void read_arguments(const Section& arguments, ModelConfig& config) {
    static const std::set<std::string, std::less<>> known{
        "act_layer",   "attn_drop_rate",   "class_token",     "depth",
        "depths",      "drop_path_rate",   "drop_rate",       "dynamic_img_size",
        "embed_dim",   "fc_norm",          "final_norm",      "fix_init",
        "global_pool", "img_size",         "in_chans",        "init_values",
        "mlp_ratio",   "no_embed_class",   "num_classes",     "num_heads",
        "patch_size",  "num_reg_tokens",   "patch_drop_rate", "pos_drop_rate",
        "pre_norm",    "proj_bias",        "proj_drop_rate",  "qk_norm",
        "qkv_bias",    "qkv_fused",        "reg_tokens",      "rope_temperature",
        "scale_mlp",   "scale_attn_inner", "scale_attn_norm", "scale_mlp_norm",
        "swiglu_mlp",  "strict_img_size",  "use_abs_pos_emb", "use_fc_norm",
        "weight_init", "window_size"};
    read_heads(arguments, config);
    read_stages(arguments, config);
    take(config.activation, activation_of(arguments, "act_layer"));
    take(config.pooling, arguments.text("global_pool"));
    take(config.rotary_base, arguments.positive("rope_temperature"));
    if (const auto size = arguments.size("img_size")) config.frame = config.native_size = size;
    for (const auto& [name, value] : arguments.object().items())
        if (!value.is_null() && !known.contains(name)) config.other_arguments.push_back(name);
}

// A tower that OpenCLIP takes from timm, whose activation is timm's whatever quick_gelu says. Where
// it says nothing of the pooling, the mean.
void read_trunk(const Section& vision, const std::string& name, ModelConfig& config) {
    config.architecture = name;
    const std::string pooling = vision.text("timm_pool").value_or("avg");
    if (!pooling.empty()) config.pooling = pooling;
    if (const auto arguments = vision.section("timm_model_kwargs"))
        read_arguments(*arguments, config);
}

// OpenCLIP's own tower, with heads 64 wide and the class token unless it says otherwise.
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

// What Hugging Face's processors resize to: a side alone is the shorter one to those of CLIP and
// DINOv2 and a square to the others; otherwise {shortest_edge} or {height, width}.
struct Resized {
    PixelSize size;
    bool stretched = false;
};

std::optional<PixelSize> height_and_width(const Section& section) {
    const auto height = section.whole("height", kMaxSide), width = section.whole("width", kMaxSide);
    if (!height || !width) return {};
    return PixelSize{*height, *width};
}

std::optional<Resized> resized(const Section& section) {
    const Json* size = section.find("size");
    if (!size || !section.flag("do_resize").value_or(true)) return {};
    if (const auto form = section.section("size")) {
        if (const auto edge = form->whole("shortest_edge", kMaxSide))
            return Resized{{*edge, *edge}, false};
        if (const auto both = height_and_width(*form)) return Resized{*both, true};
        return {};
    }
    const std::string processor = section.text("image_processor_type").value_or("") +
                                  section.text("feature_extractor_type").value_or("");
    const int side = section.whole_of("size", *size, 1, kMaxSide);
    return Resized{{side, side}, !processor.starts_with("CLIP") && !processor.starts_with("Bit")};
}

std::optional<PixelSize> cropped(const Section& section) {
    if (!section.flag("do_center_crop").value_or(true)) return {};
    if (const auto form = section.section("crop_size")) return height_and_width(*form);
    return section.size("crop_size");
}

void read_frame(const Section& section, ModelConfig& config) {
    const auto size = resized(section);
    const auto crop = cropped(section);
    if (size) {
        config.frame = size->size;
        config.framing = size->stretched && !crop ? Framing::stretch : Framing::crop;
        config.crop_fraction = 1;
    }
    if (!crop) return;
    config.frame = crop;
    config.framing = Framing::crop;
    if (!size) return;
    config.crop_fraction =
        std::min(1.0F, static_cast<float>(crop->height) / static_cast<float>(size->size.height));
    if (size->stretched)
        config.remarks.push_back(
            "a picture that is not square would be stretched to a square before the frame is cut "
            "out; here its shorter side is resized");
}

// Hugging Face's preprocessor_config.json.
void read_processor(const Section& section, ModelConfig& config) {
    read_frame(section, config);
    read_interpolation(section, "resample", config);
    take(config.most_patches, section.whole("max_num_patches", kMaxSide));
    take(config.mean, section.channels("image_mean"));
    take(config.std, section.channels("image_std"));
    if (!section.flag("do_normalize").value_or(true)) {
        config.mean = {0, 0, 0};
        config.std = {1, 1, 1};
    }
}

// timm's pretrained_cfg, whose keys may also stand in the file itself; OpenCLIP's preprocess_cfg.
void read_timm(const Section& section, ModelConfig& config) {
    take(config.mean, section.channels("mean"));
    take(config.std, section.channels("std"));
    take(config.crop_fraction, section.positive("crop_pct"));
    if (config.crop_fraction && *config.crop_fraction < 0.01F)
        section.refuse("crop_pct", "at least 0.01", *config.crop_fraction);
    read_interpolation(section, "interpolation", config);
    if (const auto size = section.size("input_size")) config.frame = config.native_size = size;
    if (const auto mode = section.text("crop_mode")) {
        config.framing = *mode == "squash"   ? Framing::stretch
                         : *mode == "border" ? Framing::fit
                                             : Framing::crop;
        config.crop_fraction = config.crop_fraction.value_or(1.0F);
    }
    if (const auto mode = section.text("resize_mode"))  // OpenCLIP's
        config.framing = *mode == "squash"    ? Framing::stretch
                         : *mode == "longest" ? Framing::fit
                                              : Framing::crop;
}

void check(const ModelConfig& config) {
    if (config.std &&
        std::any_of(config.std->begin(), config.std->end(), [](float std) { return !(std > 0); }))
        throw CheckpointError(config.name +
                              ": \"std\": expected positive numbers, found one that is not.");
}

// Heads under one of their other names count where no usual one is given.
void read_sizes(const Section& top, ModelConfig& config) {
    config.sizes = size_claims(top.object());
    for (const SizeClaim& claim : config.sizes)
        if (claim.size == ModelSize::heads && !config.num_heads && !config.stage_heads)
            config.num_heads = claim.value;
}

void read_lora(const Section& top, LoraConfig& lora) {
    take(lora.alpha, top.positive("lora_alpha"));
    take(lora.by_root, top.flag("use_rslora"));
    const auto pattern = top.section("alpha_pattern");
    if (!pattern) return;
    for (const auto& [module, alpha] : pattern->object().items())
        if (const auto number = pattern->positive(module.c_str())) lora.alphas[module] = *number;
}

ModelConfig read(const Section& top, const std::string& name) {
    ModelConfig config;
    config.name = name;
    take(config.architecture, top.text("architecture"));
    // Hugging Face's MAE and MSN have ViT's names.
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
            read_timm(*section, config);
            read_classes(*section, config);
        }
    if (const auto arguments = top.section("model_args")) read_arguments(*arguments, config);
    read_timm(top, config);
    read_classes(top, config);
    read_ours(top, config);
    read_sizes(top, config);
    read_lora(top, config.lora);
    check(config);
    return config;
}

Json parse_object(std::span<const std::byte> json, const std::string& name) {
    const Source source(name);
    if (json.size() > kMaxBytes)
        source.refuse("at most " + std::to_string(kMaxBytes) + " bytes",
                      std::to_string(json.size()));
    Json parsed;
    try {
        parsed = parse_json(json, kBounds);
    } catch (const JsonError& error) {
        source.refuse(error.expected(), error.found());
    }
    if (!parsed.is_object()) source.refuse("a JSON object", parsed.type_name());
    return parsed;
}

constexpr std::array kOurKeys{
    "family", "num_heads", "layer_norm_eps", "qk_scale",   "activation", "resampling", "norm_first",
    "mean",   "std",       "alpha",          "image_size", "lora_alpha", "use_rslora"};
// One of them stands in every config of Hugging Face, timm or OpenCLIP.
constexpr std::array kSignsOfOthers{"model_type",   "num_attention_heads", "vision_config",
                                    "architecture", "pretrained_cfg",      "model_cfg",
                                    "image_mean",   "do_normalize"};

void expect_our_keys(const Json& object, const std::string& name) {
    std::string keys;
    for (const char* key : kOurKeys) keys.append(keys.empty() ? "" : ", ").append(key);
    for (const auto& item : object.items())
        if (std::find(kOurKeys.begin(), kOurKeys.end(), item.key()) == kOurKeys.end() &&
            !is_size_key(item.key()))
            throw CheckpointError(name + ": expected " + keys + ", found " + in_quotes(item.key()) +
                                  ".");
}

}  // namespace

ModelConfig parse_config(std::span<const std::byte> json, const std::string& name) {
    return read(Section(parse_object(json, name), name), name);
}

ModelConfig parse_adapter_config(std::span<const std::byte> json, const std::string& name) {
    ModelConfig config;
    config.name = name;
    read_lora(Section(parse_object(json, name), name), config.lora);
    return config;
}

ModelConfig parse_given_config(std::span<const std::byte> json, const std::string& name) {
    const Json object = parse_object(json, name);
    const auto has = [&](const char* key) { return object.contains(key); };
    if (std::none_of(std::begin(kSignsOfOthers), std::end(kSignsOfOthers), has))
        expect_our_keys(object, name);
    return read(Section(object, name), name);
}

}  // namespace headlight

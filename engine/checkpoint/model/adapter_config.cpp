#include <regex>
#include <string>

#include "files/error.h"
#include "model/config.h"
#include "model/config_keys.h"
#include "model/config_parts.h"

// peft's adapter_config.json.
namespace headlight {

namespace {

constexpr float kUsualAlpha = 8;  // default of peft's LoraConfig
constexpr int kMostRank = 65'536;

void expect_text(const Section& top, const char* key, std::initializer_list<const char*> known,
                 const std::string& expected) {
    const auto text = top.text(key);
    if (!text) return;
    for (const char* one : known)
        if (*text == one) return;
    top.refuse(key, expected, *top.find(key));
}

// Some initializations also change the base model's weights, but the file only contains the
// addition to the changed weights.
void expect_unchanged_base(const Section& top) {
    const Json* how = top.find("init_lora_weights");
    if (how && how->is_string())
        expect_text(top, "init_lora_weights", {"gaussian", "eva", "orthogonal"},
                    "an initialization that leaves the base model's weights unchanged");
}

std::vector<std::string> names_in(const Section& top, const char* key) {
    const Json* list = top.find(key);
    if (!list) return {};
    std::vector<std::string> names;
    if (list->is_array())
        for (const Json& name : *list)
            if (name.is_string()) names.push_back(name.get<std::string>());
    if (!list->is_array() || names.size() != list->size())
        top.refuse(key, "a list of names", *list);
    return names;
}

void expect_patterns(const Section& pattern, const char* key) {
    for (const auto& item : pattern.object().items()) try {
            (void)fits_module(item.key(), "");
        } catch (const CheckpointError& error) {
            throw CheckpointError(pattern.file() + ": \"" + key + "\": " + error.what());
        }
}

void read_patterns(const Section& top, LoraConfig& lora) {
    for (const char* key : {"alpha_pattern", "rank_pattern"})
        if (const auto pattern = top.section(key)) expect_patterns(*pattern, key);
    if (const auto alphas = top.section("alpha_pattern"))
        for (const auto& [module, value] : alphas->object().items())
            if (const auto alpha = alphas->positive(module.c_str())) lora.alphas[module] = *alpha;
    if (const auto ranks = top.section("rank_pattern"))
        for (const auto& [module, value] : ranks->object().items())
            if (const auto rank = ranks->whole(module.c_str(), kMostRank))
                lora.ranks[module] = *rank;
}

void read_adapter(const Section& top, LoraConfig& lora) {
    lora.is_adapter = true;
    lora.base = top.text("base_model_name_or_path").value_or("");
    take(lora.rank, top.whole("r", kMostRank));
    take(lora.has_magnitudes, top.flag("use_dora"));
    lora.saved_modules = names_in(top, "modules_to_save");
    read_patterns(top, lora);
    if (!lora.alpha && top.text("peft_type") == "LORA") {
        lora.alpha = kUsualAlpha;
        lora.is_usual_alpha = true;
    }
}

// Checks for settings that change how the tensors are used.
void expect_followed(const Section& top, LoraConfig& lora) {
    expect_text(top, "peft_type", {"LORA", "IA3"}, "LORA or IA3");
    expect_text(top, "bias", {"none", "all", "lora_only"}, "none, all or lora_only");
    lora.has_biases_of_b = top.flag("lora_bias").value_or(false);
    lora.has_biases = top.text("bias").value_or("none") != "none";
    expect_unchanged_base(top);
}

}  // namespace

void read_lora(const Section& top, LoraConfig& lora) {
    take(lora.alpha, top.positive("lora_alpha"));
    take(lora.by_root, top.flag("use_rslora"));
}

ModelConfig parse_adapter_config(std::span<const std::byte> json, const std::string& name) {
    ModelConfig config;
    config.name = name;
    const Json object = parse_object(json, name);
    ReadValues asked;
    const Section top(object, name, asked);
    read_lora(top, config.lora);
    read_adapter(top, config.lora);
    try {
        expect_followed(top, config.lora);
        for (const UnreadValue& unread : unread_values(top, asked))
            config.not_read.push_back(in_quotes(unread.path) + " " + unread.value);
    } catch (const CheckpointError& error) {
        config.lora.not_followed = error.what();  // only matters if there are additions
    }
    return config;
}

bool fits_module(const std::string& pattern, const std::string& module) {
    constexpr std::size_t kLongest = 300;
    if (module.size() > kLongest) return false;
    auto how = std::regex::ECMAScript;
#ifdef __GLIBCXX__
    how |= std::regex_constants::__polynomial;  // guarantees polynomial time for any pattern
#endif
    try {
        if (pattern.size() > kLongest)
            throw std::regex_error(std::regex_constants::error_complexity);
        return std::regex_match(module, std::regex("(.*\\.)?(" + pattern + ")", how));
    } catch (const std::regex_error&) {
        throw CheckpointError("expected a name or a regular expression, found " +
                              in_quotes(pattern) + ".");
    }
}

}  // namespace headlight

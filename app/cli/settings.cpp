#include "cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/json.h"
#include "encoder/recipe.h"

namespace headlight::cli {

namespace {

struct Key {
    std::string_view name;
    Scope scope;
    void (*apply)(Settings&, const JsonValue&);
};

void set_heads(Settings& s, const JsonValue& v) { s.heads.set(v.whole_number(), v.source()); }
void set_scale(Settings& s, const JsonValue& v) { s.scale.set(v.number_or_null(), v.source()); }
void set_family(Settings& s, const JsonValue& v) { s.family.set(v.text(), v.source()); }
void set_image_size(Settings& s, const JsonValue& v) {
    s.image_size.set(v.height_and_width(), v.source());
}
void set_mean(Settings& s, const JsonValue& v) { s.mean.set(v.one_or_three_numbers(), v.source()); }
void set_std(Settings& s, const JsonValue& v) {
    const auto numbers = v.one_or_three_numbers();
    if (std::any_of(numbers.begin(), numbers.end(), [](float n) { return n <= 0; }))
        v.refuse("numbers above 0");
    s.std.set(numbers, v.source());
}

constexpr Key kAttentionKeys[] = {
    {"heads", Scope::layer, set_heads},
    {"scale", Scope::layer, set_scale},
    {"temperature", Scope::layer,
     [](Settings& s, const JsonValue& v) { s.temperature.set(v.number(), v.source()); }},
    {"skip", Scope::layer,
     [](Settings& s, const JsonValue& v) {
         s.skip.set(
             v.choice<Skip>({{"none", Skip::none}, {"value", Skip::value}, {"input", Skip::input}}),
             v.source());
     }},
    {"mask", Scope::layer,
     [](Settings& s, const JsonValue& v) {
         s.causal.set(v.choice<bool>({{"none", false}, {"causal", true}}), v.source());
     }},
    {"patch", Scope::patches,
     [](Settings& s, const JsonValue& v) { s.patch.set(v.whole_number(), v.source()); }},
    {"stride", Scope::patches,
     [](Settings& s, const JsonValue& v) { s.stride.set(v.whole_number(), v.source()); }},
    {"ragged", Scope::patches,
     [](Settings& s, const JsonValue& v) {
         s.ragged.set(v.choice<Ragged>({{"pad", Ragged::pad}, {"crop", Ragged::crop}}), v.source());
     }},
    {"positions", Scope::patches,
     [](Settings& s, const JsonValue& v) {
         s.positions.set(v.choice<PositionKind>({{"none", PositionKind::none},
                                                 {"sinusoidal", PositionKind::sinusoidal}}),
                         v.source());
     }},
    {"image_size", Scope::image, set_image_size},
    {"framing", Scope::image,
     [](Settings& s, const JsonValue& v) {
         s.framing.set(
             v.choice<Framing>(
                 {{"crop", Framing::crop}, {"fit", Framing::fit}, {"stretch", Framing::stretch}}),
             v.source());
     }},
    {"channels", Scope::image,
     [](Settings& s, const JsonValue& v) {
         s.channels.set(v.choice<int>({{"grey", 1}, {"rgb", 3}}), v.source());
     }},
};

// In a model's configuration nothing depends on what the model is given, hence one scope.
constexpr Key kConfigKeys[] = {
    {"family", Scope::layer, set_family},
    {"num_heads", Scope::layer, set_heads},
    // A bare layer has no norm; whole models share their configuration with it.
    {"layer_norm_eps", Scope::layer, [](Settings&, const JsonValue& v) { (void)v.number(); }},
    {"qk_scale", Scope::layer, set_scale},
    {"mean", Scope::layer, set_mean},
    {"std", Scope::layer, set_std},
    {"image_size", Scope::layer, set_image_size},
};

// As Hugging Face's transformers write them.
constexpr Key kNeighbourKeys[] = {
    {"num_attention_heads", Scope::layer, set_heads},
    {"image_mean", Scope::layer, set_mean},
    {"image_std", Scope::layer, set_std},
    {"size", Scope::layer, set_image_size},
    {"crop_size", Scope::layer, set_image_size},
};

std::string names_of(std::span<const Key> keys) {
    std::string names;
    for (const Key& key : keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
    return names;
}

std::string read_text(const std::string& path) {
    const auto bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// In the table's order, not the file's, so that crop_size has the last word over size.
void apply_known(const Json& object, const std::string& source, std::span<const Key> keys,
                 Settings& settings) {
    for (const Key& key : keys)
        if (const auto value = object.find(std::string(key.name)); value != object.end())
            key.apply(settings, {*value, source, std::string(key.name), false});
}

// A file that others write for their own purposes: what we do not know in it is theirs.
void apply_neighbour(const std::filesystem::path& file, Settings& settings) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return;
    const Json object = parse_object(read_text(file), file, false);
    apply_known(object, file, kNeighbourKeys, settings);
    apply_known(object, file, kConfigKeys, settings);
}

// A file that was written for us: an unknown key is a mistake that would change the numbers.
void apply_config(const std::string& path, Settings& settings) {
    const Json object = parse_object(read_text(path), path, false);
    for (const auto& item : object.items())
        if (std::none_of(std::begin(kConfigKeys), std::end(kConfigKeys),
                         [&](const Key& key) { return key.name == item.key(); }))
            throw WorkError(fmt::format("{}: expected {}, found \"{}\".", path,
                                        names_of(kConfigKeys), item.key()));
    apply_known(object, path, kConfigKeys, settings);
}

// What the family does where nothing else is said. The numbers of an image are those that the
// window begins with.
Settings convention(const LayerFile& layer) {
    Settings s;
    const bool t2t = layer.family == "t2t";
    const std::string family = "convention of " + layer.family;
    const std::string ours = "convention of Headlight";
    constexpr int kUsualHeadDim = 64;
    if (t2t)
        s.heads.set(1, family + ": one head");
    else if (layer.channels % kUsualHeadDim == 0)
        s.heads.set(layer.channels / kUsualHeadDim, family + ": heads of 64 channels");
    s.temperature.set(1.0F, ours);
    s.skip.set(layer.skip, family);
    s.causal.set(false, ours);

    const Preprocessing how = bare_preprocessing();
    s.ragged.set(PatchSettings{}.ragged, ours);
    s.image_size.set(std::pair(how.height, how.width), ours);
    s.framing.set(how.framing, ours);
    s.positions.set(PositionKind::none, "a bare layer adds none");
    s.mean.set(std::vector(how.mean.begin(), how.mean.end()), ours);
    s.std.set(std::vector(how.std.begin(), how.std.end()), ours);
    return s;
}

std::string_view scope_name(Scope scope) {
    switch (scope) {
        case Scope::layer:
            return "a layer";
        case Scope::patches:
            return "pixels or an image";
        case Scope::image:
            return "an image";
    }
    return "";
}

}  // namespace

Settings model_settings(const LayerFile& layer, const std::string& model_path,
                        const std::string& config_path) {
    Settings settings = convention(layer);
    const auto folder = std::filesystem::path(model_path).parent_path();
    apply_neighbour(folder / "config.json", settings);
    apply_neighbour(folder / "preprocessor_config.json", settings);
    if (!config_path.empty()) apply_config(config_path, settings);
    if (settings.family && *settings.family != layer.family)
        throw WorkError(settings.family.origin + ": \"family\": expected \"" + layer.family +
                        "\" as the tensors of " + model_path + " are named, found \"" +
                        *settings.family + "\".");
    settings.family.set(layer.family, "names of the tensors");
    return settings;
}

void apply_attention(const std::string& text, Scope scope, Settings& settings) {
    if (text.empty()) return;
    const std::string source = "--attention";
    const Json object = parse_object(text, source, true);
    for (const auto& item : object.items()) {
        const std::string& name = item.key();
        const auto key = std::find_if(std::begin(kAttentionKeys), std::end(kAttentionKeys),
                                      [&](const Key& k) { return k.name == name; });
        if (key == std::end(kAttentionKeys))
            throw UsageError(fmt::format("{}: expected {}, found \"{}\".", source,
                                         names_of(kAttentionKeys), name));
        if (key->scope > scope)
            throw UsageError(fmt::format("{}: \"{}\": expected only with {}, found with given {}.",
                                         source, name, scope_name(key->scope),
                                         scope == Scope::layer ? "tokens" : "pixels"));
        key->apply(settings, {item.value(), source, name, true});
    }
}

AttentionConfig attention_config(const LayerFile& layer, const Settings& settings,
                                 const std::string& model_path) {
    if (!settings.heads)
        throw WorkError(model_path +
                        ": expected the number of heads from --attention (e.g. '{\"heads\": 2}'), "
                        "--config or config.json, found it nowhere: its tensors cannot say.");
    AttentionConfig config;
    config.dim = layer.dim;
    config.channels = layer.channels;
    config.heads = *settings.heads;
    config.qkv_bias = layer.has_bias;
    config.scale = settings.scale.value;
    config.temperature = *settings.temperature;
    config.skip = *settings.skip;
    validate(config);
    return config;
}

}  // namespace headlight::cli

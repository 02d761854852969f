#include "cli/attention_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "cli/errors.h"
#include "cli/json.h"

namespace headlight::cli {

namespace {

using Option = AttentionOption;
constexpr const char* kSource = "--attention";

struct Key {
    std::string_view name;
    Scope scope;
    bool of_bare_layer;  // a whole model decides it itself
    void (*apply)(Option&, const JsonValue&);
};

constexpr Key kKeys[] = {
    {"heads", Scope::layer, true,
     [](Option& o, const JsonValue& v) { o.heads = v.whole_number(); }},
    {"scale", Scope::layer, false,
     [](Option& o, const JsonValue& v) { o.scale = v.number_or_null(); }},
    {"temperature", Scope::layer, false,
     [](Option& o, const JsonValue& v) { o.temperature = v.number(); }},
    {"skip", Scope::layer, true,
     [](Option& o, const JsonValue& v) {
         o.skip =
             v.choice<Skip>({{"none", Skip::none}, {"value", Skip::value}, {"input", Skip::input}});
     }},
    {"mask", Scope::layer, false,
     [](Option& o, const JsonValue& v) {
         std::vector<std::pair<std::string_view, MaskKind>> masks;
         for (const MaskInfo& mask : all_masks()) masks.emplace_back(mask.name, mask.id);
         o.mask = v.choice(masks);
     }},
    {"patch", Scope::patches, true,
     [](Option& o, const JsonValue& v) { o.patch = v.whole_number(); }},
    {"stride", Scope::patches, true,
     [](Option& o, const JsonValue& v) { o.stride = v.whole_number(); }},
    {"ragged", Scope::patches, true,
     [](Option& o, const JsonValue& v) {
         o.ragged = v.choice<Ragged>({{"pad", Ragged::pad}, {"crop", Ragged::crop}});
     }},
    {"positions", Scope::patches, false,
     [](Option& o, const JsonValue& v) {
         o.positions = v.choice<PositionKind>({{"none", PositionKind::none},
                                               {"sinusoidal", PositionKind::sinusoidal},
                                               {"model", PositionKind::model}});
     }},
    {"image_size", Scope::image, false,
     [](Option& o, const JsonValue& v) { o.image_size = v.height_and_width(); }},
    {"framing", Scope::image, false,
     [](Option& o, const JsonValue& v) {
         o.framing = v.choice<Framing>(
             {{"crop", Framing::crop}, {"fit", Framing::fit}, {"stretch", Framing::stretch}});
     }},
    {"channels", Scope::image, true,
     [](Option& o, const JsonValue& v) {
         o.channels = v.choice<int>({{"grey", 1}, {"rgb", 3}});
     }},
};

bool is_offered(const Key& key, const Model& model) {
    return !key.of_bare_layer || model.is_bare_layer();
}

std::string names_for(const Model& model) {
    std::string names;
    for (const Key& key : kKeys)
        if (is_offered(key, model)) names += (names.empty() ? "" : ", ") + std::string(key.name);
    return names;
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

const Key& find_key(const std::string& name, Scope scope, const Model& model) {
    const auto* const key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                         [&](const Key& k) { return k.name == name; });
    if (key == std::end(kKeys))
        throw UsageError(
            fmt::format("{}: expected {}, found \"{}\".", kSource, names_for(model), name));
    if (!is_offered(*key, model))
        throw UsageError(
            fmt::format("{}: \"{}\": expected only with a bare attention layer, found with a whole "
                        "model, which decides that itself; {} can be changed.",
                        kSource, name, names_for(model)));
    if (key->scope > scope)
        throw UsageError(fmt::format("{}: \"{}\": expected only with {}, found with given {}.",
                                     kSource, name, scope_name(key->scope),
                                     scope == Scope::layer ? "tokens" : "pixels"));
    return *key;
}

}  // namespace

AttentionOption parse_attention(const std::string& text, Scope scope, const Model& model) {
    AttentionOption option;
    if (text.empty()) return option;
    if (model.is_maps())
        throw UsageError(std::string(kSource) +
                         ": expected a model that computes attention, found a file of maps.");
    const Json object = parse_object(text, kSource);
    for (const auto& item : object.items())
        find_key(item.key(), scope, model).apply(option, {item.value(), kSource, item.key()});
    return option;
}

}  // namespace headlight::cli

#include "chrome/model_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "disk/names.h"
#include "frame/field_words.h"
#include "kernels/counted.h"
#include "model/builder.h"
#include "model/map_facts.h"
#include "state/directory.h"
#include "state/fields.h"

namespace headlight::screens {

namespace {

// Replaces a hint such as "set layer_norm_eps to change it", which names the config's key, by the
// name of the control.
std::string said_for_window(std::string origin) {
    constexpr std::string_view set = "set ", rest = " to change it";
    const std::size_t end = origin.rfind(rest);
    const std::size_t begin = end == std::string::npos ? end : origin.rfind(set, end);
    if (begin == std::string::npos) return origin;
    const std::string name = origin.substr(begin + set.size(), end - begin - set.size());
    const Field* field = find_field(name == "qk_scale" ? "scale" : name);
    if (field == nullptr) return origin;
    return origin.replace(begin, end + rest.size() - begin,
                          fmt::format("“{}” on the right changes it", field->label));
}

constexpr std::array<std::string_view, 4> kPreparation{"image", "framing", "mean",
                                                       "standard deviation"};

const std::string kScale = "score scale";  // our type has no raised T

bool of_preparation(const ModelFact& fact) {
    return std::find(kPreparation.begin(), kPreparation.end(), fact.what) != kPreparation.end();
}

// Choices are named as in the right column.
std::string value_for_window(const ModelFact& fact) {
    if (fact.what == "activation") return words_of(*find_field("activation"), fact.value);
    if (fact.what == "positions of other grids")
        return words_of(*find_field("resampling"), fact.value);
    return fact.value;
}

std::vector<ModelFact> drawn_layer_facts(const Trace& trace, const Recipe& recipe) {
    const AttentionConfig& c = trace.config;
    const std::string chosen = "your choice, on the right";
    if (c.variant.projections == Projections::none)
        return {
            {"weights", "none", "queries, keys and values are the tokens themselves"},
            {"width", fmt::format("{} in, {} out", c.dim, c.output_width()), "numbers per token"}};
    return {
        {"weights", fmt::format("drawn from seed {}", recipe.seed),
         "as torch.nn.Linear draws them: this layer is not trained"},
        {"width", fmt::format("{} in, {} out", c.dim, c.output_width()),
         "D numbers in each token; C, the number of channels, is chosen on the right"},
        {"heads", fmt::format("{}, each {} wide", c.heads, c.head_dim()), chosen},
        {"bias of query, key and value", c.qkv_bias ? "yes" : "no", chosen},
        {kScale, fmt::format("{:.6g}", c.effective_scale()),
         recipe.scale ? chosen : "head width^-0.5"},
    };
}

// The origin of the fact with that name, or the text for a single layer.
std::string origin_of(const Model& model, std::string_view what) {
    for (const ModelFact& fact : model.facts)
        if (fact.what == what) return said_for_window(fact.origin);
    return "default for a single layer";
}

std::string framing_now(const Trace& trace, bool own) {
    if (!own)
        for (const ModelFact& fact : trace.model->facts)
            if (fact.what == "framing") return fact.value;
    return framing_text(trace.preprocessing);
}

}  // namespace

std::string model_name_of(const Recipe& recipe) {
    if (!recipe.weights.empty()) return model_name(recipe.weights);
    const bool learned = recipe.variant.projections == Projections::learned;
    return learned ? "attention layer" : "attention without weights";
}

std::string heads_assumed(const Trace& trace, const Recipe& recipe) {
    constexpr std::string_view assumed = "; set num_heads to change it";
    const bool said = recipe.heads && trace.model->is_bare_layer();
    for (const ModelFact& fact : trace.model->facts)
        if (fact.what == "heads" && fact.origin.ends_with(assumed) && !said)
            return fmt::format(
                "The file does not say how many heads there are. Headlight assumes {}: {}. You can "
                "change it with “Heads” in the right column, or with num_heads in a config.json "
                "beside the file.",
                trace.shape.heads, fact.origin.substr(0, fact.origin.size() - assumed.size()));
    return "";
}

namespace {

// "aux_head (2 tensors)", or "" if nothing in the file is left out.
std::string left_aside(const Model& model) {
    for (const ModelFact& fact : model.facts)
        if (fact.what == "not used") return fact.value;
    return "";
}

// A remark beside the model's name.
std::string head_remark(const Model& model) {
    std::string remark;
    if (!model.head_left_out.empty())
        remark = " · classifier not used";
    else if (model.head_assumed)
        remark = " · classifier with " + std::string(name_of(model.pooler_curve)) + " (assumed)";
    const std::string aside = left_aside(model);
    if (aside.empty()) return remark;
    // The title has space for one name; the tooltip and the panel list all parts.
    const bool is_one = aside.find(", ") == std::string::npos;
    return remark +
           (is_one ? " · " + aside.substr(0, aside.find(" (")) + " not used" : " · parts not used");
}

}  // namespace

std::string head_note(const Model& model) {
    const std::string aside = left_aside(model);
    std::string note =
        aside.empty() ? "" : "The file has parts that Headlight does not compute: " + aside + ".";
    if (!model.head_left_out.empty())
        return "The file has a classification head that Headlight does not compute, so there are "
               "no classes. " +
               model.head_left_out + "." + (note.empty() ? "" : "\n" + note);
    if (model.head_assumed)
        return "The classification head has two linear layers, and no tensor says which activation "
               "comes between them. Headlight assumes " +
               std::string(name_of(model.pooler_curve)) +
               ". To change it, set head_activation in a config.json beside the file." +
               (note.empty() ? "" : "\n" + note);
    return note;
}

std::string model_kind(const Trace& trace, const Recipe& recipe, bool with_family) {
    const Model& model = *trace.model;
    const AttentionConfig& c = trace.config;
    const std::string heads = counted(trace.shape.heads, "head") +
                              (heads_assumed(trace, recipe).empty() ? "" : " (assumed)");
    if (model.is_bare_layer()) {
        std::string width = fmt::format("{} → {} · {}", c.dim, c.output_width(), heads);
        const std::size_t layers = model.layers.size();
        if (layers > 1) return fmt::format("{} layers · {}", layers, width);
        return recipe.weights.empty() || !with_family ? width : "one layer · " + width;
    }
    const auto layers = static_cast<std::int64_t>(model.layers.size()) - model.token_transformers();
    std::string size = fmt::format("{} × {}", counted(layers, "layer"), heads);
    if (model.has_merges())  // later stages have more
        size =
            fmt::format("{} × {}–{} heads", counted(layers, "layer"),
                        model.layers.front().attention.heads, model.layers.back().attention.heads);
    size += head_remark(model);
    return with_family ? model.family + " · " + size : size;
}

std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::int64_t parameter_count(const Model& model) {
    std::int64_t all = 0;
    for (const ModelPart& part : parts_of(model)) all += part.parameters;
    return all;
}

std::vector<ModelFact> model_facts(const Trace& trace, const Recipe& recipe) {
    if (recipe.weights.empty()) return drawn_layer_facts(trace, recipe);
    std::vector<ModelFact> facts = trace.model->facts;
    if (trace.model->is_maps() && trace.source) {
        const auto lying =
            map_facts(*trace.model, PictureSize{trace.source->height, trace.source->width});
        facts.insert(facts.end(), lying.begin(), lying.end());
    }
    std::erase_if(facts, of_preparation);
    const AttentionConfig& config = trace.config;
    const bool chosen = recipe.heads && trace.model->is_bare_layer();
    for (ModelFact& fact : facts)  // the file lacks the experiment's changes
        if (chosen && fact.what == "heads")
            fact = {"heads", fmt::format("{}, each {} wide", config.heads, config.head_dim()),
                    "your choice, on the right"};
        else if (chosen && fact.what == "head_dim")
            fact.value = std::to_string(config.head_dim());
    std::erase_if(facts, [](const ModelFact& fact) { return fact.what == "other part"; });
    for (ModelFact& fact : facts) {
        fact.value = value_for_window(fact);
        fact.origin = said_for_window(fact.origin);
        if (fact.what == "scale of Q·Kᵀ") fact.what = kScale;
    }
    return facts;
}

std::vector<ModelFact> preprocessing_facts(const Trace& trace, const Recipe& recipe) {
    const Preprocessing& how = trace.preprocessing;
    const Model& model = *trace.model;
    const std::string own = "your choice";
    const auto origin = [&](bool chosen, std::string_view what) {
        return chosen ? own : origin_of(model, what);
    };
    const bool own_size = recipe.image_height || recipe.image_width;
    const bool own_framing = own_size || recipe.framing;
    return {
        {"size", fmt::format("{} × {}", how.height, how.width), origin(own_size, "image")},
        {"framing", framing_now(trace, own_framing), origin(own_framing, "framing")},
        {"mean", fmt::format("{}", fmt::join(trace.mean, ", ")),
         origin(recipe.mean.has_value(), "mean")},
        {"standard deviation", fmt::format("{}", fmt::join(trace.std, ", ")),
         origin(recipe.std.has_value(), "standard deviation")},
    };
}

std::int64_t unused_count(const Model& model) {
    constexpr std::string_view many = " tensors";
    std::int64_t all = 0;
    for (const std::string& line : model.unused) {
        std::int64_t tensors = 1;
        const std::size_t colon = line.rfind(": ");
        if (line.ends_with(many) && colon != std::string::npos)
            std::from_chars(line.data() + colon + 2, line.data() + line.size(), tensors);
        all += tensors;
    }
    return all;
}

}  // namespace headlight::screens

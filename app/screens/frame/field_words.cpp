#include "frame/field_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "frame/head_switch.h"
#include "program/program.h"

namespace headlight::screens {

namespace {

struct Wording {
    std::string_view field, option, words;
};
constexpr std::array kWordings{
    Wording{"activation", "gelu", "GELU"},
    Wording{"activation", "gelu_tanh", "GELU, by tanh"},
    Wording{"activation", "quick_gelu", "QuickGELU"},
    Wording{"activation", "silu", "SiLU"},
    Wording{"activation", "relu", "ReLU"},
    Wording{"activation", "geglu", "GEGLU"},
    Wording{"activation", "geglu_tanh", "GEGLU, by tanh"},
    Wording{"activation", "quick_geglu", "Quick GEGLU"},
    Wording{"activation", "swiglu", "SwiGLU"},
    Wording{"activation", "reglu", "ReGLU"},
    Wording{"resampling", "bicubic_offset", "bicubic, DINO's"},
    Wording{"resampling", "bicubic", "bicubic"},
    Wording{"resampling", "bicubic_antialiased", "bicubic, antialiased"},
    Wording{"resampling", "linear_corners", "linear, by corners"},
    Wording{"resampling", "bilinear_antialiased", "bilinear, antialiased"},
    Wording{"resampling", "bicubic_corners", "bicubic, by corners"},
    Wording{"family", "deit", "DeiT"},
    Wording{"family", "dino", "DINO"},
    Wording{"family", "dinov2", "DINOv2"},
    Wording{"family", "mae", "MAE"},
    Wording{"family", "hf-vit", "ViT"},
    Wording{"family", "hf-deit", "DeiT"},
    Wording{"family", "hf-dinov2", "DINOv2"},
    Wording{"family", "hf-mae", "MAE"},
    Wording{"family", "clip", "CLIP"},
    Wording{"family", "openclip", "OpenCLIP"},
    Wording{"color", "rgb", "colour"},
    Wording{"alpha", "drop", "dropped"},
    Wording{"alpha", "white", "on white"},
    Wording{"alpha", "black", "on black"},
    Wording{"score", "usual", "as usual"},
    Wording{"weights_from", "max", "maximum"},
    Wording{"activation_after", "none", "nothing"},
    Wording{"activation_after", "relu", "ReLU"},
    Wording{"attention_scale", "square_root", "square root"},
    Wording{"attention_scale", "even", "times even"},
    Wording{"range", "view", "in view"},
    Wording{"position_bias", "drawn", "drawn from a seed"},
    Wording{"position_bias", "distance", "falling with distance"},
    Wording{"skip", "value", "V"},
    Wording{"skip", "input", "X"},
    Wording{"skip", "both", "V and X"},
    Wording{"norm_first", "true", "before"},
    Wording{"norm_first", "false", "after the sums"},
    Wording{"rollout", "mean", "mean of the heads"},
    Wording{"rollout", "max", "largest of the heads"},
    Wording{"rollout", "min", "smallest of the heads"},
    Wording{"figure_queries", "hues", "in hues"},
    Wording{"figure_queries", "rows", "in rows"},
    Wording{"figure_combine", "nothing", "each by itself"},
    Wording{"figure_combine", "max", "largest"},
    Wording{"figure_combine", "min", "smallest"},
    Wording{"figure_combine", "hues", "in hues"},
    Wording{"figure_caption", "made", "what made it"},
    Wording{"figure_caption", "own", "own words"},
    Wording{"rollout_norm", "rows", "each row's sum"},
    Wording{"rollout_norm", "vit_explain", "as vit-explain does"},
};

bool is_gated(const Trace& trace) { return is_gated(trace.model_layer().activation); }

// A bare layer, which has no positions of its own, is given sinusoidal ones.
bool shows_waves(const Recipe& recipe, const Trace& trace) {
    const bool instead =
        recipe.position.kind == PositionKind::model && trace.model->is_bare_layer();
    return instead || info(recipe.position.kind).base > 0;
}

bool is_of_bias(const Field& field) {
    return field.name == "position_bias" || field.name == "position_strength";
}

// A learned table, or a relative bias that does not fall with the distance.
bool draws_positions(const PositionChoice& position) {
    return position.kind == PositionKind::learned ||
           (position.kind == PositionKind::relative && position.bias.start == BiasStart::drawn);
}

bool has_projections(const Recipe& recipe) {
    return recipe.variant.projections == Projections::learned;
}

bool is_of_projections(const Field& field) {
    return field.name == "channels" || field.name == "heads" || field.name == "bias" ||
           field.name == "activation_after";
}

bool is_of_scores(const Field& field) {
    constexpr std::array<std::string_view, 7> kNames{"scale",        "temperature", "mask", "score",
                                                     "weights_from", "projections", "heads"};
    return std::ranges::find(kNames, field.name) != kNames.end();
}

// A performer alone.
bool has_no_scores(const Trace& trace) {
    return trace.model->is_bare_layer() && trace.model->layers.front().features != nullptr;
}

bool drops_out(const Recipe& recipe) {
    return recipe.variant.dropout.attention > 0 || recipe.variant.dropout.output > 0;
}

// What a layer's file decides instead of the person; a seed draws nothing then.
bool decided_by_file(const Field& field, const State& state) {
    return !state.recipe.weights.empty() && field.of_drawn_layer;
}

// A painting may be long: that there is one must do.
std::string without_cells(std::string_view rules) {
    const std::size_t painting = rules.find(info(MaskKind::blocked).name);
    if (painting == std::string_view::npos) return std::string(rules);
    return std::string(rules.substr(0, painting)) + "painted";
}

// These change scores and softmax of every layer, and of a whole model there are many.
bool is_of_every_layer(const Field& field, const Trace& trace) {
    return !trace.model->is_bare_layer() &&
           (field.name == "temperature" || field.name == "scale" || field.name == "mask");
}

}  // namespace

bool is_shown(const Field& field, const State& state, const Trace& trace) {
    if (!applies(field, trace) || decided_by_file(field, state)) return false;
    const bool of_picture = field.group == FieldGroup::image || field.group == FieldGroup::patches;
    if (of_picture && !trace.image) return false;
    if (field.name == "alpha" && !(trace.source && trace.source->alpha)) return false;
    if (field.name == "samples" &&
        trace.node(Step::curve)->get<CurveParameters>().signal.curve == Curve::drawn)
        return false;  // as many as were drawn
    constexpr std::array groups{FieldGroup::model, FieldGroup::layer, FieldGroup::scores,
                                FieldGroup::mask, FieldGroup::positions};
    const bool of_layers = std::ranges::find(groups, field.group) != groups.end() ||
                           field.name == "mean" || field.name == "std";
    if (field.name == "sample") return trace.model->map_samples > 1;
    if (of_layers && trace.model->is_maps()) return field.of_maps;  // the rest is as it came
    if (field.name == "family") return options_of(field, trace).size() > 1;
    if (field.name == "weights") return false;  // the model panel's, and the file browser's
    if (field.name == "layer") return false;    // walked to
    if (!has_projections(state.recipe) && is_of_projections(field)) return false;
    if (is_of_scores(field) && has_no_scores(trace)) return false;
    // One that was set is shown, to be taken back.
    if (field.name == "scale" && trace.config.score() != Score::scaled_dot)
        return state.recipe.scale.has_value();
    if (field.name == "queries" && !state.recipe.queries) return takes_queries(*trace.model);
    if (field.name == "query_seed") return state.recipe.queries.has_value();
    // Several layers have no queries of their own; what was set is shown, to be taken back.
    if (field.name == "layers" && is_cross(state.recipe)) return state.recipe.layers > 1;
    if (field.name == "sum_over" && is_cross(state.recipe))
        return state.recipe.variant.sum_over != SumOver::keys;
    if (field.name == "dropout_seed") return drops_out(state.recipe);
    if (field.name == "position_base") return shows_waves(state.recipe, trace);
    if (field.name == "position_first")
        return state.recipe.position.kind == PositionKind::sincos_2d;
    if (is_of_bias(field)) return state.recipe.position.kind == PositionKind::relative;
    if (field.name == "position_seed") return draws_positions(state.recipe.position);
    const bool of_rollout = field.name == "rollout_discard" || field.name == "rollout_norm";
    return !of_rollout || state.recipe.rollout.has_value();
}

std::string label_of(const Field& field, const Trace& trace) {
    return std::string(field.label) + (is_of_every_layer(field, trace) ? " · every layer" : "");
}

std::string help_of(const Field& field, const Trace& trace) {
    std::string help(field.help);
    if (is_of_every_layer(field, trace)) help += " The same in every layer.";
    if (field.name == "image_size")
        for (const ModelFact& fact : trace.model->facts)
            if (fact.what == "image" && fact.origin.starts_with("no more than"))
                help += " Where nobody says, it is " + fact.value +
                        " here: " + fact.origin.substr(0, fact.origin.find(';')) + ".";
    return help;
}

float label_share(const Field& field) {
    return field.kind == FieldKind::toggle || field.name == "scale" ? 0.64F : 0.46F;
}

std::vector<std::string_view> options_of(const Field& field, const Trace& trace) {
    if (field.name == "family") return {trace.model->families.begin(), trace.model->families.end()};
    if (field.name == "part") return {trace.model->encoders.begin(), trace.model->encoders.end()};
    std::vector<std::string_view> options = field.choices;
    // A layer alone has no positions of its own: it is given sinusoidal ones.
    if (field.name == "positions" && trace.model->is_bare_layer()) std::erase(options, "model");
    if (is_cross(trace)) {  // whose queries lie nowhere and have no values
        if (field.name == "positions")
            std::erase_if(options, [](auto o) { return o == "rotary" || o == "relative"; });
        if (field.name == "positions" && !trace.image) options = {"none"};
        if (field.name == "skip")
            std::erase_if(options, [](auto o) { return o == "value" || o == "both"; });
    }
    // The way back to the model stands beside the label.
    if (field.of_model) std::erase(options, "model");
    // A gate is a matter of the weights: with it every curve is that of a gate, without it none is.
    if (field.name == "activation")
        std::erase_if(options, [&](auto name) {
            return is_gated(*value_named<Activation>(name)) != is_gated(trace);
        });
    return options;
}

std::string words_of(const FieldInfo& field, std::string_view option) {
    if (field.name == "score" && option != field.unset)
        return std::string(info(*value_named<Score>(option)).label);
    if (field.name == "positions")
        return std::string(info(*value_named<PositionKind>(option)).label);
    if (field.kind == FieldKind::rules) return without_cells(option);
    const auto found = std::find_if(kWordings.begin(), kWordings.end(), [&](const Wording& w) {
        return w.field == field.name && w.option == option;
    });
    return std::string(found == kWordings.end() ? option : found->words);
}

std::string change_in_words(const RecipeField& field, const Recipe& recipe) {
    if (!recipe.switched_off.empty() && field.name == "switched_off")
        return heads_off_in_words(recipe.switched_off);
    std::string label(field.label);
    // "Temperature" within a sentence; but "QKV bias" stays as it is.
    const bool word = label.size() > 1 && std::islower(static_cast<unsigned char>(label[1])) != 0;
    if (word) label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    std::string value = words_of(field, field.get(recipe));
    if (field.kind == FieldKind::toggle) value = value == "true" ? "on" : "off";
    return label + ' ' + value;
}

}  // namespace headlight::screens

#include "state/figure_maps.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gradient/class_map_set.h"
#include "patches/token_words.h"
#include "program/number_ranges.h"
#include "program/ordinals.h"
#include "program/program.h"
#include "program/values.h"
#include "state/changes.h"
#include "state/fields.h"
#include "state/paired_maps.h"

namespace headlight {

namespace {

using Json = nlohmann::json;

bool shows_before(const Workspace& work) {
    return work.state().look.compare == Compare::before && work.pinned_trace() != nullptr;
}

const Recipe& recipe_in_view(const Workspace& work) {
    return shows_before(work) ? *work.state().pinned : work.trace_recipe();
}

// Quotes a text as one shell word.
std::string quoted(const std::string& text) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_./,=:+-").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

// The field's value for --attention; null if the option does not accept it.
Json json_of(const RecipeField& field, const std::string& value) {
    switch (field.kind) {
        case FieldKind::integer:
        case FieldKind::number:
            return Json::parse(value);
        case FieldKind::optional_number:
            return value == field.unset ? Json() : Json::parse(value);
        case FieldKind::choice:
            return value == field.unset ? Json() : Json(value);
        case FieldKind::rules:
        case FieldKind::structure:
            return value;
        default:
            return {};
    }
}

// Why a result's source cannot be written as options; "" if it can.
std::string why_no_line(const Recipe& recipe, const Trace& trace) {
    if (recipe.weights.empty())
        return "A random layer has no file, so no command line can name it.";
    if (trace.model->is_bare_layer())
        return "For a single layer, the command line uses other positions than the window, so save "
               "the figure here.";
    if (recipe.scene)
        return "The command line needs a file: save the scene and open the saved file.";
    const FigureSettings settings = figure_settings(recipe, trace);
    if (!settings.unsayable.empty())
        return "The command line cannot set this: " + settings.unsayable + ".";
    return "";
}

// For attention maps. The layout options apply to both files if these are the same, otherwise to
// the first.
bool lies_otherwise(const Recipe& before, const Recipe& now) {
    const ModelOptions told = before.weights == now.weights ? now.model : ModelOptions{};
    return before.model.layout != told.layout || before.model.sample != told.sample;
}

std::string why_no_line(const Workspace& work, const FigureQuestion& question) {
    std::string why = why_no_line(recipe_in_view(work), *question.of.trace);
    if (why.empty() && question.before)
        why = why_no_line(*work.state().pinned, *question.before->trace);
    if (why.empty() && question.before &&
        lies_otherwise(*work.state().pinned, recipe_in_view(work)))
        why =
            "The command line cannot set another grid or sample for “before”, so save the "
            "figure here.";
    if (why.empty() && !work.complete()) why = "Still being computed.";
    return why;
}

// heads: [H, N].
void add_layer(TokenMaps& maps, const KeptAttention& kept, const Matrix& heads) {
    if (maps.layers.empty()) {
        maps.grid = kept.grid();
        maps.layout = kept.layout();
        maps.heads = heads.rows();
        for (Index h = 1; h <= maps.heads; ++h) maps.names.push_back("head " + std::to_string(h));
    }
    if (heads.rows() != maps.heads || !(kept.layout() == maps.layout))
        throw CommandError(
            "figure: expected layers with the same number of heads and patches, found different "
            "ones. Choose other layers.");
    for (Index h = 0; h < maps.heads; ++h)
        for (Index j = maps.layout.prefix(); j < maps.layout.count(); ++j)
            maps.numbers.push_back(heads(h, j));
}

TokenMaps maps_of(const TokenQuestion& question, Index token, const StopFlag& stop) {
    const Model& model = *question.trace->model;
    const KeptLayers& kept = question.summary->kept;
    TokenMaps maps;
    maps.image = question.trace->image;
    maps.token = token;
    for (auto b = static_cast<std::size_t>(model.token_transformers()); b < model.layers.size();
         ++b) {
        throw_if_stopped(stop);
        if (b >= kept.size() || !kept[b])
            throw CommandError("figure: the maps of " + model.layers[b].name +
                               " need more than the " + std::to_string(kMaxKeptBytes >> 20) +
                               " MiB that the window keeps. Use headlight figure, which computes "
                               "them one by one.");
        add_layer(maps, *kept[b],
                  question.reading == Reading::from ? kept[b]->of_query(token, stop)
                                                    : kept[b]->of_key(token, stop));
        maps.layers.push_back(model.layers[b].name);
    }
    return maps;
}

// For each query token.
std::vector<TokenMaps> maps_of(const TokenQuestion& question, const StopFlag& stop) {
    try {
        expect_alike_layers(*question.trace->model);
    } catch (const AnalysisError& error) {
        throw CommandError(std::string("figure: ") + error.what());
    }
    std::vector<TokenMaps> all{maps_of(question, question.token, stop)};
    for (const Index token : question.also) all.push_back(maps_of(question, token, stop));
    return all;
}

// The question for what is subtracted.
TokenQuestion asked_before(const Workspace& work, const TokenQuestion& now) {
    if (work.state().look.figure.combine == Combined::hues)
        throw CommandError(
            "A map of heads in hues cannot show a difference. Choose each head by itself, or their "
            "mean, largest or smallest.");
    const Trace* before = work.pinned_summary() ? work.pinned_trace().get() : nullptr;
    if (const std::string why = why_apart(before, "before"); !why.empty()) throw CommandError(why);
    return asked_of(work.pinned_trace(), work.pinned_summary(), now);
}

// Collects the options that are not at their default.
class Line {
  public:
    void add(const std::string& flag) { text_ += " --" + flag; }
    void add(const std::string& option, const std::string& value) {
        text_ += " --" + option + " " + quoted(value);
    }
    void add_unless(const std::string& option, const std::string& value, const std::string& usual) {
        if (value != usual) add(option, value);
    }
    [[nodiscard]] std::string text() const { return text_; }

  private:
    std::string text_ = "headlight figure";
};

// The source of the other result, as far as it differs; at least one option.
void add_before(Line& line, const Recipe& now, const std::string& settings, const Recipe& before,
                const TokenQuestion& of) {
    const std::string others = figure_settings(before, *of.trace).json;
    const bool other_model = before.weights != now.weights, other_settings = others != settings;
    const bool other_part = before.model.part != now.model.part;
    if (before.image != now.image || !(other_model || other_settings || other_part))
        line.add("before", before.image);
    if (other_model) line.add("before-model", before.weights);
    const auto part = [](const Recipe& recipe) { return recipe.model.part.value_or(""); };
    if (part(before) != (other_model ? "" : part(now))) line.add("before-part", part(before));
    if (other_settings) line.add("before-attention", others.empty() ? "{}" : others);
}

void add_query(Line& line, const TokenQuestion& of) {
    std::string tokens = token_word_on_screens(of.trace->layout, of.token);
    for (const Index token : of.also)
        tokens += "," + token_word_on_screens(of.trace->layout, token);
    line.add("query", tokens);
    line.add_unless("reading", std::string(name_of(of.reading)), "from");
}

// chosen: the class; empty: the predicted one.
void add_methods(Line& line, const ClassMapSetAsked& asked, std::optional<int> chosen) {
    line.add("method", names_of(asked.methods));
    if (chosen && asked.of_class && std::ranges::any_of(asked.methods, asks_for_class))
        line.add("class", std::to_string(*asked.of_class));
}

// `look` without the settings that differences do not have.
Look difference_look(Look look) {
    look.figure.queries = FigureQueries::hues;
    look.figure.mass = 100;
    look.attention_scale = AttentionScale::linear;
    look.attention_cut = 0;
    look.attention_map = Look().attention_map;
    look.heads_contours = false;
    return look;
}

void add_look(Line& line, const Look& look) {
    const Look usual;
    const FigureLook& figure = look.figure;
    line.add_unless("layers", figure.layers, "all");
    line.add_unless("heads", figure.heads, "all");
    line.add_unless("several", std::string(name_of(figure.queries)), "hues");
    line.add_unless("combine", std::string(name_of(figure.combine)), "nothing");
    line.add_unless("mass", number_text(figure.mass), "100");
    line.add_unless("picture", std::string(name_of(figure.picture)), "color");
    if (figure.opacity) line.add("opacity", number_text(*figure.opacity));
    line.add_unless("columns", std::to_string(figure.columns), "0");
    line.add_unless("scale", std::string(name_of(look.attention_scale)), "linear");
    line.add_unless("cut", number_text(look.attention_cut), "0");
    line.add_unless("colors", look.attention_map, usual.attention_map);
    line.add_unless("signed-colors", look.signed_map, usual.signed_map);
    if (look.heads_smooth) line.add("smooth");
    if (look.heads_contours) line.add("contours");
    line.add_unless("tile", std::to_string(figure.tile), "96");
    if (figure.caption != FigureCaption::made)
        line.add("caption", figure.caption == FigureCaption::own ? figure.words : "");
    line.add_unless("theme", std::string(name_of(figure.theme)), "light");
    line.add_unless("ground", std::string(name_of(figure.ground)), "theme");
    line.add_unless("range", look.range == RangeMode::own ? "own" : "shared", "shared");
    line.add_unless("resolution", std::to_string(figure.resolution), "1");
    line.add_unless("width-cm", number_text(figure.width_cm), "0");
}

// Rejects settings that a method would silently ignore.
void expect_used(MapMethod method, const ClassMapSetAsked& asked) {
    const auto refuse = [&](std::string_view field) {
        throw CommandError(std::string(find_field(field)->label) + ": " +
                           std::string(info(method).title) +
                           " does not depend on them. Choose all, or leave this map out.");
    };
    if (asked.layers != "all" && !reads_layers(method)) refuse("figure_layers");
    if (asked.heads != "all" && !reads_attention(method)) refuse("figure_heads");
}

ClassMapQuestion question_of(MapMethod method, const ClassMapSetAsked& asked, const Model& model) {
    expect_used(method, asked);
    ClassMapQuestion question;
    question.method = method;
    question.of_class = asked.of_class;
    const int layers = static_cast<int>(model.layers.size()) - model.token_transformers();
    const auto chosen = [](const char* field, const std::string& text) {
        return NumberRanges(std::string(find_field(field)->label), text);
    };
    question.layers = chosen("figure_layers", asked.layers).of(layers, "layers");
    std::ranges::sort(question.layers);
    question.heads = heads_to_read(question, chosen("figure_heads", asked.heads), model);
    return question;
}

FigureMaps class_maps(const Trace& trace, const ClassMapSetAsked& asked, const StopFlag& stop) {
    ClassMapSet set;
    for (const MapMethod method : asked.methods)
        set.add(method,
                class_map(trace, asked.change, question_of(method, asked, *trace.model), stop),
                trace.image, *trace.model);
    return {{{std::move(set.maps)}, {}}, std::move(set.of_class)};
}

ClassMapSetAsked class_maps_asked(const Workspace& work, const TokenQuestion& of) {
    if (shows_difference(work))
        throw CommandError("Class maps cannot show a difference. Show before or after instead.");
    const Look& look = work.state().look;
    const Model& model = *of.trace->model;
    return {look.figure.methods, class_in_question(look, model, of.summary->top),
            look.figure.layers, look.figure.heads, counterfactual_of(recipe_in_view(work), model)};
}

}  // namespace

bool shows_difference(const Workspace& work) {
    return work.state().look.compare == Compare::difference && work.state().pinned.has_value();
}

FigureQuestion figure_question(const Workspace& work) {
    const bool before = shows_before(work);
    FigureQuestion question;
    question.of.trace = before ? work.pinned_trace() : work.trace();
    question.of.summary = before ? work.pinned_summary() : work.summary();
    question.of.reading = work.state().look.reading;
    if (!question.of.trace || !question.of.summary)
        throw CommandError("figure: there is no result yet. Open an image first.");
    const Trace& trace = *question.of.trace;
    if (!trace.image || is_cross(trace))
        throw CommandError(
            "figure: expected patches of a picture that attend to each other, found other tokens.");
    const Selection& chosen = work.state().selection;
    question.of.token = chosen.token.value_or(usual_token(trace));
    question.of.also.assign(chosen.also.begin(), chosen.also.end());
    if (!work.state().look.figure.methods.empty())
        question.class_maps = class_maps_asked(work, question.of);
    else if (shows_difference(work))
        question.before = asked_before(work, question.of);
    return question;
}

FigureMaps figure_maps(const FigureQuestion& question, const StopFlag& stop) {
    if (question.class_maps) return class_maps(*question.of.trace, *question.class_maps, stop);
    FigureMaps maps{{maps_of(question.of, stop), {}}, {}};
    if (question.before) maps.before = maps_of(*question.before, stop);
    return maps;
}

Look look_of_class_maps(Look look) {
    look.figure.queries = FigureQueries::hues;
    look.figure.combine = Combined::nothing;
    look.figure.mass = 100;
    look.attention_scale = AttentionScale::linear;
    look.attention_cut = 0;
    look.range = RangeMode::shared;  // each has its own in any case
    return look;
}

FigureSettings figure_settings(const Recipe& recipe, const Trace& trace) {
    FigureSettings settings;
    Json object = Json::object();
    for (const RecipeField* field : changed_fields(recipe, trace)) {
        if (field->applies_to == AppliesTo::attention_maps)
            continue;  // they are options of their own
        const std::string text = field->name == "switched_off"
                                     ? heads_text(recipe.switched_off, trace.model.get())
                                     : field->get(recipe);
        const Json value = field->option.empty() || field->option.find('.') != std::string::npos
                               ? Json()
                               : json_of(*field, text);
        if (value.is_null())
            settings.unsayable +=
                (settings.unsayable.empty() ? "" : ", ") + std::string(field->name);
        else
            object[std::string(field->option)] = value;
    }
    if (!object.empty()) settings.json = object.dump();
    return settings;
}

FigureLine figure_line(const Workspace& work, const FigureQuestion& question) {
    if (std::string why = why_no_line(work, question); !why.empty()) return {"", std::move(why)};
    const TokenQuestion& of = question.of;
    const Recipe& recipe = recipe_in_view(work);
    Line line;
    line.add("model", recipe.weights);
    if (recipe.model.part) line.add("part", *recipe.model.part);
    line.add("image", recipe.image);
    if (const auto& grid = recipe.model.layout.grid) line.add("grid", grid_text(*grid));
    if (const auto& before = recipe.model.layout.before)
        line.add("tokens-before", std::to_string(*before));
    if (recipe.model.sample) line.add("sample", std::to_string(*recipe.model.sample));
    if (question.class_maps)
        add_methods(line, *question.class_maps, work.state().look.heads_class);
    else
        add_query(line, of);
    const std::string settings = figure_settings(recipe, *of.trace).json;
    line.add_unless("attention", settings, "");
    if (question.before) add_before(line, recipe, settings, *work.state().pinned, *question.before);
    const Look& look = work.state().look;
    add_look(line, question.class_maps ? look_of_class_maps(look)
                   : question.before   ? difference_look(look)
                                       : look);
    line.add("out", "figure.svg");
    return {line.text(), ""};
}

}  // namespace headlight

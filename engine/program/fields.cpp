#include "program/fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include "program/field_kinds.h"
#include "program/mask_text.h"
#include "program/ordinals.h"
#include "program/program.h"
#include "scene/scene_file.h"
#include "tokens/token_source.h"

namespace headlight {

namespace {

using namespace fields;

using Table = std::vector<RecipeField>;
using OfModel = std::function<std::string(const Trace&)>;
using Shown = std::function<bool(const Recipe&, const Trace&)>;
using Options = std::vector<std::string_view>;

RecipeField shown_when(RecipeField field, Shown shown) {
    field.shown = std::move(shown);
    return field;
}

RecipeField applying_to(AppliesTo what, RecipeField field) {
    field.applies_to = what;
    return field;
}

// A trace without a model is that of a single bare layer.
bool is_bare(const Trace& trace) { return !trace.model || trace.model->is_bare_layer(); }

// A Performer alone has no scores.
bool has_scores(const Trace& trace) {
    return !is_bare(trace) || !trace.model || trace.model->layers.front().features == nullptr;
}

bool has_projections(const Recipe& recipe, const Trace&) {
    return recipe.variant.projections == Projections::learned;
}

bool is_no_map(const Recipe&, const Trace& trace) {
    return !trace.model || !trace.model->is_maps();
}

Options all_but(Options options, const Options& refused) {
    std::erase_if(options, [&](auto o) { return std::ranges::count(refused, o) > 0; });
    return options;
}

RecipeField with_slider(RecipeField field, double low, double high) {
    field.slide_low = low;
    field.slide_high = high;
    field.logarithmic = low > 0 && high / low > 16;
    return field;
}

// Snaps a slider to the nearest value that `fits` allows.
template <class Fits>
RecipeField snapping(RecipeField field, Fits fits) {
    const auto low = static_cast<int>(field.slide_low), high = static_cast<int>(field.slide_high);
    field.snap = [fits, low, high](const Recipe& recipe, double value) {
        double best = value, distance = high;
        for (int i = low; i <= high; ++i)
            if (fits(recipe, i) && std::abs(i - value) < distance)
                best = i, distance = std::abs(i - value);
        return best;
    };
    return field;
}

// Gives the field a key of `--attention`, by default its own name.
RecipeField said(RecipeField field, Scope scope, std::string_view key = {}) {
    field.option = key.empty() ? field.name : key;
    field.scope = scope;
    return field;
}

// A setting that can be left to the model. `of_value` is the field of the value itself, `place` its
// place in the recipe.
template <class Value, class Place>
RecipeField left_to_model(const FieldOf<Value>& of_value, Place place, OfModel of_model) {
    RecipeField field = optional<Recipe>(of_value, kOfModel, place);
    field.of_model = std::move(of_model);
    return field;
}

template <class Place>
RecipeField integer_of_model(const Words& words, int low, int high, Place place, OfModel of_model) {
    return left_to_model(number<int>(words, low, high, std::identity()), place,
                         std::move(of_model));
}

template <class Enum>
FieldOf<Enum> named(const Words& words) {
    return choice<Enum>(words, std::identity());
}

// ---- the picture

constexpr int kMostPixels = 4096;

template <class Place>
RecipeField pixels(std::string_view name, std::string_view label, std::string_view help,
                   Place place, OfModel of_model) {
    RecipeField field = with_slider(integer_of_model({name, label, help, FieldGroup::image}, 1,
                                                     kMostPixels, place, std::move(of_model)),
                                    32, 512);
    field.unit = [](const Trace& trace) { return size_unit(*trace.model); };
    return field;
}

std::string height_of(const Trace& trace) { return std::to_string(trace.preprocessing.height); }
std::string width_of(const Trace& trace) { return std::to_string(trace.preprocessing.width); }

RecipeField image_size() {
    RecipeField field = pixels(
        "image_size", "Size",
        "Height and width of the framed image, in pixels. The model's crop ratio stays the same.",
        &Recipe::image_height, height_of);
    field.parts = {"image_height", "image_width"};
    field.put = [put_height = field.put](Recipe& recipe, const std::string& text) {
        put_height(recipe, text);
        recipe.image_width = recipe.image_height;
    };
    field.help_here = [](const Trace& trace) -> std::string {
        for (const ModelFact& fact : trace.model->facts)
            if (fact.what == "image" && fact.origin.starts_with("no more than"))
                return " Unless you set it, it is " + fact.value +
                       " here: " + fact.origin.substr(0, fact.origin.find(';')) + ".";
        return {};
    };
    return said(field, Scope::image);
}

RecipeField color() {
    const Words words{"color", "Color", "Whether the image has three channels (RGB) or one (gray).",
                      FieldGroup::image};
    RecipeField field =
        left_to_model(choice<bool>(words, {"rgb", "grey"}, std::identity()), &Recipe::grey,
                      [](const Trace& trace) {
                          return std::string(trace.image->channels == 1 ? "grey" : "rgb");
                      });
    field.labels = {{"rgb", "color"}};
    field.applies_to = AppliesTo::bare_layer;
    return said(field, Scope::image, "channels");
}

// ---- a curve with noise

// A field of the signal. Without a signal it shows the default and sets nothing.
RecipeField signal_field(const FieldOf<Signal>& of_source) {
    RecipeField field;
    static_cast<FieldInfo&>(field) = of_source;
    field.applies_to = AppliesTo::signal;
    field.get = [get = of_source.get](const Recipe& recipe) {
        const Signal* signal = std::get_if<Signal>(&recipe.tokens);
        return get(signal ? *signal : Signal{});
    };
    field.put = [put = of_source.put](Recipe& recipe, const std::string& text) {
        const Signal* present = std::get_if<Signal>(&recipe.tokens);
        if (!present) return;
        Signal signal = *present;
        put(signal, text);
        try {
            validate(signal);
        } catch (const TokenError& error) {
            throw ValueError(error.what());
        }
        recipe.tokens = std::move(signal);
    };
    return field;
}

FieldOf<Signal> curve() {
    FieldOf<Signal> field =
        choice<Signal>({"curve", "Curve", "The clean curve: a built-in one, or one that you draw.",
                        FieldGroup::signal},
                       &Signal::curve);
    // Editing a drawn curve starts from the current curve.
    field.put = [put = field.put](Signal& signal, const std::string& text) {
        const Matrix before = clean_curve(signal);
        put(signal, text);
        if (signal.curve == Curve::drawn && signal.drawn.empty())
            signal.drawn.assign(before.data(), before.data() + before.size());
    };
    return field;
}

Table signal_fields() {
    constexpr FieldGroup group = FieldGroup::signal;
    const auto window = snapping(
        with_slider(
            signal_field(number<Signal>({"window", "Window",
                                         "Samples in a window, which becomes one token. The "
                                         "number is odd, so that one sample is in the middle.",
                                         group},
                                        1, kMostWindow, &Signal::window)),
            1, 31),
        [](const Recipe&, int samples) { return samples % 2 == 1; });
    return {
        signal_field(curve()),
        // A drawn curve has as many samples as were drawn.
        shown_when(
            with_slider(signal_field(number<Signal>(
                            {"samples", "Samples", "Number of samples of the whole curve.", group},
                            kLeastSamples, kMostSamples, &Signal::samples)),
                        kLeastSamples, kMostSamples),
            [](const Recipe&, const Trace& trace) {
                return trace.node(Step::curve)->get<CurveParameters>().signal.curve != Curve::drawn;
            }),
        window,
        with_slider(
            signal_field(number<Signal>(
                {"noise", "Noise", "Standard deviation of the noise added to every sample.", group},
                0, kMostNoise, &Signal::noise)),
            0, 1),
        signal_field(number<Signal>({"noise_seed", "Seed of the noise",
                                     "The random seed from which the noise is drawn.", group},
                                    0, 999999, &Signal::seed))};
}

RecipeField alpha() {
    RecipeField field = left_to_model(
        named<Alpha>({"alpha", "Transparency",
                      "How transparent pixels are handled: alpha is dropped, as Pillow's "
                      "convert(\"RGB\") does, or they are laid on white or black.",
                      FieldGroup::image}),
        &Recipe::alpha,
        [](const Trace& trace) { return std::string(name_of(trace.preprocessing.alpha)); });
    field.labels = {{"drop", "dropped"}, {"white", "on white"}, {"black", "on black"}};
    field.shown = [](const Recipe&, const Trace& trace) {
        return trace.source && trace.source->alpha;
    };
    return said(field, Scope::image);
}

Table image_fields() {
    constexpr FieldGroup group = FieldGroup::image;
    const Words mean{"mean", "Mean",
                     "Subtracted from the pixels of each channel: red, green, blue.", group};
    const Words deviation{"std", "Standard deviation",
                          "Divides the pixels of each channel, after the mean is subtracted.",
                          group};
    using Channels = std::array<float, 3>;
    constexpr double most = 1000, least_deviation = 1e-6;
    return {
        image_size(),
        pixels("image_height", "Height", "Height of the framed image, in pixels.",
               &Recipe::image_height, height_of),
        pixels("image_width", "Width", "Width of the framed image, in pixels.",
               &Recipe::image_width, width_of),
        said(left_to_model(named<Framing>({"framing", "Framing",
                                           "How the picture fits the frame: crop it, show all of "
                                           "it, or stretch it.",
                                           group}),
                           &Recipe::framing,
                           [](const Trace& trace) {
                               return std::string(name_of(trace.preprocessing.framing));
                           }),
             Scope::image),
        alpha(),
        shown_when(left_to_model(
                       numbers<Channels>(mean, -most, most, std::identity()), &Recipe::mean,
                       [](const Trace& trace) { return numbers_text(trace.preprocessing.mean); }),
                   is_no_map),
        shown_when(
            left_to_model(numbers<Channels>(deviation, least_deviation, most, std::identity()),
                          &Recipe::std,
                          [](const Trace& trace) { return numbers_text(trace.preprocessing.std); }),
            is_no_map),
        color(),
    };
}

std::string scene_text(const std::optional<ShapeScene>& scene) {
    if (!scene) return "none";
    std::string text = to_json(*scene);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });  // on one line
    return text;
}

std::optional<ShapeScene> parse_scene(const std::string& text) {
    if (text == "none") return std::nullopt;
    try {
        return scene_from_json(std::as_bytes(std::span(text)), "scene");
    } catch (const SceneError& error) {
        throw ValueError(error.what());
    }
}

TokenSource parse_tokens(const std::string& text) {
    if (text == "none") return {};
    try {
        return tokens_from_json(std::as_bytes(std::span(text)), "tokens");
    } catch (const TokenError& error) {
        throw ValueError(error.what());
    }
}

RecipeField given_tokens() {
    RecipeField field =
        blank<Recipe>({"tokens", "Tokens", "Tokens that are given instead of a picture, as JSON.",
                       FieldGroup::elsewhere},
                      FieldKind::structure);
    field.unset = "none";
    field.applies_to = AppliesTo::bare_layer;
    field.get = [](const Recipe& recipe) {
        return gives_tokens(recipe.tokens) ? to_json(recipe.tokens) : "none";
    };
    field.put = [](Recipe& recipe, const std::string& text) { recipe.tokens = parse_tokens(text); };
    return field;
}

Table picture_fields() {
    constexpr FieldGroup group = FieldGroup::elsewhere;
    RecipeField image = text<Recipe>({"image", "Image", "The file with the picture.", group},
                                     FieldKind::file, &Recipe::image);
    image.put = [](Recipe& recipe, const std::string& file) {
        recipe.image = file;
        recipe.scene.reset();
        recipe.tokens = {};
    };
    RecipeField scene = blank<Recipe>(
        {"scene", "Scene", "Shapes that are shown instead of a file, as JSON.", group},
        FieldKind::structure);
    scene.unset = "none";
    scene.get = [](const Recipe& recipe) { return scene_text(recipe.scene); };
    scene.put = [](Recipe& recipe, const std::string& said) {
        recipe.scene = parse_scene(said);
        if (recipe.scene) recipe.tokens = {};
    };
    return {image, scene, given_tokens()};
}

// ---- patches, and a layer without a model

RecipeField patch_size() {
    RecipeField field = integer_of_model(
        {"patch_size", "Patch size", "Pixels along one side of a square patch.",
         FieldGroup::patches},
        1, 512, [](auto& r) -> auto& { return r.patches.size; },
        [](const Trace& trace) { return std::to_string(trace.grid.settings.size); });
    // If patches touched (stride = size), they keep touching, as users expect.
    field.put = [put_size = field.put](Recipe& recipe, const std::string& text) {
        PatchChoice& patches = recipe.patches;
        const bool touching = patches.stride == patches.size;
        put_size(recipe, text);
        if (touching) patches.stride.reset();
    };
    return said(with_slider(field, 4, 64), Scope::patches, "patch");
}

RecipeField stride() {
    const RecipeField field = integer_of_model(
        {"stride", "Stride",
         "Pixels from one patch to the next. Patches overlap if this is smaller than the patch "
         "size.",
         FieldGroup::patches},
        1, 512, [](auto& r) -> auto& { return r.patches.stride; },
        [](const Trace& trace) { return std::to_string(trace.grid.settings.stride); });
    return said(with_slider(field, 4, 64), Scope::patches);
}

Table patch_fields() {
    Table fields{patch_size(), stride(),
                 said(choice<Recipe>(
                          {"ragged", "Border",
                           "A border too thin for a whole patch is padded with zeros or left out.",
                           FieldGroup::patches},
                          [](auto& r) -> auto& { return r.patches.ragged; }),
                      Scope::patches)};
    for (RecipeField& field : fields) field.applies_to = AppliesTo::bare_layer;
    return fields;
}

RecipeField channels() {
    const RecipeField field =
        number<Recipe>({"channels", "Channels",
                        "Total width C of the queries of all heads. The keys have the same width.",
                        FieldGroup::layer},
                       1, 4096, &Recipe::channels);
    const auto fits = [](const Recipe& recipe, int channels) {
        // Rotary positions need a sine and a cosine for both row and column in each head.
        const int least = info(recipe.position.kind).effect == PositionEffect::turned ? 4 : 1;
        return channels % (least * recipe.heads.value_or(kUsualHeads)) == 0;
    };
    return shown_when(snapping(with_slider(field, 4, 768), fits), has_projections);
}

RecipeField heads() {
    RecipeField field = integer_of_model(
        {"heads", "Heads", "Number of heads H; each gets C / H channels.", FieldGroup::layer}, 1,
        kMostHeads, &Recipe::heads,
        [](const Trace& trace) { return std::to_string(trace.config.heads); });
    field.applies_to = AppliesTo::bare_layer;
    // If it was set, it is shown so that it can be reset.
    field.shown = [](const Recipe& recipe, const Trace& trace) {
        return has_scores(trace) && (has_projections(recipe, trace) || recipe.heads);
    };
    return said(snapping(with_slider(field, 1, 16),
                         [](const Recipe& recipe, int heads) {
                             return recipe.channels % heads == 0 &&
                                    recipe.value_channels.value_or(heads) % heads == 0;
                         }),
                Scope::layer);
}

RecipeField weights() {
    RecipeField field = text<Recipe>(
        {"weights", "Weights", "A checkpoint. If empty: one attention layer with random weights.",
         FieldGroup::layer},
        FieldKind::file, &Recipe::weights);
    field.shown = [](const Recipe&, const Trace&) { return false; };  // set in the model panel
    // Another file has other layers, so settings for the old file are dropped.
    field.put = [](Recipe& recipe, const std::string& file) {
        if (file == recipe.weights) return;
        recipe.weights = file;
        recipe.model = {};
        recipe.layer = 0;
    };
    return field;
}

RecipeField value_channels() {
    const RecipeField field = integer_of_model(
        {"value_channels", "Value channels",
         "Width of the values of all heads, if it differs from that of queries and keys.",
         FieldGroup::layer},
        1, 4096, &Recipe::value_channels,
        [](const Trace& trace) { return std::to_string(trace.config.value_width()); });
    return snapping(with_slider(field, 4, 768), [](const Recipe& recipe, int channels) {
        return channels % recipe.heads.value_or(kUsualHeads) == 0;
    });
}

RecipeField outputs() {
    return with_slider(integer_of_model({"outputs", "Outputs",
                                         "Width of an output token, if it differs from that of the "
                                         "values.",
                                         FieldGroup::layer},
                                        1, 4096, &Recipe::outputs,
                                        [](const Trace& trace) {
                                            return std::to_string(trace.config.output_width());
                                        }),
                       4, 768);
}

RecipeField layers() {
    return shown_when(
        with_slider(
            number<Recipe>(
                {"layers", "Layers",
                 "Number of random attention layers. Each one takes the output of the one before.",
                 FieldGroup::layer},
                1, 12, &Recipe::layers),
            1, 12),
        // Several layers do not support separate queries. If they were set, the field is shown for
        // resetting.
        [](const Recipe& recipe, const Trace&) { return !is_cross(recipe) || recipe.layers > 1; });
}

Table layer_fields() {
    constexpr AppliesTo drawn = AppliesTo::drawn_layer;
    const RecipeField bias =
        toggle<Recipe>({"bias", "QKV bias", "Whether the projection to Q, K and V adds a bias.",
                        FieldGroup::layer},
                       &Recipe::qkv_bias);
    return {applying_to(drawn, layers()),
            applying_to(drawn, channels()),
            heads(),
            applying_to(drawn, value_channels()),
            applying_to(drawn, outputs()),
            applying_to(drawn, shown_when(bias, has_projections)),
            weights()};
}

// ---- a whole model

RecipeField norm_first() {
    const Words words{"norm_first", "Norms",
                      "Whether the norms come before attention and MLP, or after their sums.",
                      FieldGroup::model};
    RecipeField field = left_to_model(
        choice<bool>(words, {"false", "true"}, std::identity()),
        [](auto& r) -> auto& { return r.model.norm_first; },
        [](const Trace& trace) {
            return std::string(trace.model_layer().norm_first ? "true" : "false");
        });
    field.labels = {{"true", "before"}, {"false", "after the sums"}};
    field.applies_to = AppliesTo::order_of_norms;
    field.option = field.name;
    return field;
}

FieldOf<GridSize> grid_size(const Words& words) {
    FieldOf<GridSize> field = blank<GridSize>(words, FieldKind::text);
    field.get = [](const GridSize& grid) { return grid_text(grid); };
    field.put = [name = words.name](GridSize& grid, const std::string& text) {
        const auto parsed = parse_grid(text);
        if (!parsed) refuse_value(name, "rows and columns such as 15x20, or model", text);
        grid = *parsed;
    };
    return field;
}

// For attention maps only, which do not say how their tokens are arranged.
Table map_fields() {
    constexpr FieldGroup group = FieldGroup::model;
    constexpr int kMost = 65'536;
    Table fields{
        left_to_model(
            grid_size({"grid", "Patch grid",
                       "Rows and columns of the patches, such as 15x20. If you set none, Headlight "
                       "chooses a grid that fits the picture.",
                       group}),
            [](auto& r) -> auto& { return r.model.layout.grid; },
            [](const Trace& trace) {
                return grid_text({trace.grid.rows, trace.grid.cols});
            }),
        integer_of_model(
            {"tokens_before", "Tokens before",
             "Number of tokens before the patches, such as a class token and registers.", group},
            0, kMost, [](auto& r) -> auto& { return r.model.layout.before; },
            [](const Trace& trace) { return std::to_string(trace.layout.prefix()); }),
        shown_when(
            integer_of_model(
                {"sample", "Sample", "The sample of a batch whose maps are shown, counted from 1.",
                 group},
                1, kMost, [](auto& r) -> auto& { return r.model.sample; },
                [](const Trace& trace) { return std::to_string(trace.model->map_sample + 1); }),
            [](const Recipe&, const Trace& trace) { return trace.model->map_samples > 1; }),
    };
    for (RecipeField& field : fields) field.applies_to = AppliesTo::attention_maps;
    return fields;
}

RecipeField part() {
    const Words words{"part", "Part of the file",
                      "Which of a file's encoders is shown, such as a student or its teacher.",
                      FieldGroup::model};
    RecipeField field = left_to_model(
        text<std::string>(words, FieldKind::text, std::identity()),
        [](auto& r) -> auto& { return r.model.part; },
        [](const Trace& trace) { return trace.model->encoder; });
    field.options = [](const Trace& trace) {
        return Options(trace.model->encoders.begin(), trace.model->encoders.end());
    };
    return applying_to(AppliesTo::several_parts, field);
}

RecipeField family() {
    const Words words{
        "family", "Family",
        "The project whose conventions apply if the tensor names fit several: timm or dino.",
        FieldGroup::model};
    RecipeField field = left_to_model(
        text<std::string>(words, FieldKind::text, std::identity()),
        [](auto& r) -> auto& { return r.model.family; },
        [](const Trace& trace) { return trace.model->family; });
    field.labels = {{"deit", "DeiT"},        {"dino", "DINO"},        {"dinov2", "DINOv2"},
                    {"mae", "MAE"},          {"hf-vit", "ViT"},       {"hf-deit", "DeiT"},
                    {"clip", "CLIP"},        {"hf-dinov2", "DINOv2"}, {"hf-mae", "MAE"},
                    {"openclip", "OpenCLIP"}};
    field.options = [](const Trace& trace) {
        return Options(trace.model->families.begin(), trace.model->families.end());
    };
    return shown_when(
        field, [](const Recipe&, const Trace& trace) { return trace.model->families.size() > 1; });
}

RecipeField activation() {
    RecipeField field = left_to_model(
        named<Activation>({"activation", "Activation",
                           "The activation function between the two linear layers of an MLP.",
                           FieldGroup::model}),
        [](auto& r) -> auto& { return r.model.activation; },
        [](const Trace& trace) { return std::string(name_of(trace.model_layer().activation)); });
    field.labels = {{"gelu", "GELU"},   {"gelu_tanh", "GELU, by tanh"},
                    {"silu", "SiLU"},   {"quick_gelu", "QuickGELU"},
                    {"relu", "ReLU"},   {"geglu_tanh", "GEGLU, by tanh"},
                    {"geglu", "GEGLU"}, {"quick_geglu", "Quick GEGLU"},
                    {"reglu", "ReGLU"}, {"swiglu", "SwiGLU"}};
    // Whether the activation is gated depends on the weights, so only activations of the same kind
    // are offered.
    field.options = [](const Trace& trace) {
        const bool gated = is_gated(trace.model_layer().activation);
        Options options;
        for (const std::string_view name : names_of<Activation>())
            if (is_gated(*value_named<Activation>(name)) == gated) options.push_back(name);
        return options;
    };
    field.option = field.name;
    return applying_to(AppliesTo::norms_and_mlp, field);
}

Table model_fields() {
    constexpr FieldGroup group = FieldGroup::model;
    const Words eps{"layer_norm_eps", "Norm epsilon", "Added to a token's variance in every norm.",
                    group};
    const auto whole = [](RecipeField field) {
        return applying_to(AppliesTo::whole_model, std::move(field));
    };
    RecipeField resampling = left_to_model(
        named<Resampling>({"resampling", "Positions resized by",
                           "How position embeddings are resized to another grid.", group}),
        [](auto& r) -> auto& { return r.model.resampling; },
        [](const Trace& trace) { return std::string(name_of(trace.model->positions.resampling)); });
    resampling.labels = {{"bicubic_offset", "bicubic, DINO's"},
                         {"bicubic_antialiased", "bicubic, antialiased"},
                         {"linear_corners", "linear, corners aligned"},
                         {"bilinear_antialiased", "bilinear, antialiased"},
                         {"bicubic_corners", "bicubic, corners aligned"}};
    return {part(),
            whole(family()),
            whole(integer_of_model(
                {"num_heads", "Heads", "Number of heads, if the file does not give it.", group}, 1,
                1024, [](auto& r) -> auto& { return r.model.num_heads; },
                [](const Trace& trace) { return std::to_string(trace.shape.heads); })),
            applying_to(
                AppliesTo::norms_and_mlp,
                left_to_model(
                    number<float>(eps, 0, 1, std::identity()),
                    [](auto& r) -> auto& { return r.model.layer_norm_eps; },
                    [](const Trace& trace) { return number_text(trace.model_layer().norm1.eps); })),
            activation(),
            whole(resampling),
            norm_first()};
}

// ---- the experiment

RecipeField score_field(RecipeField field) {
    return shown_when(std::move(field),
                      [](const Recipe&, const Trace& trace) { return has_scores(trace); });
}

RecipeField temperature() {
    RecipeField field = number<Recipe>(
        {"temperature", "Temperature",
         "Divides the scores before the softmax: below 1 sharpens the attention, above 1 spreads "
         "it.",
         FieldGroup::scores},
        0.05, 20, &Recipe::temperature);
    field.help_here = [](const Trace&) -> std::string {
        return " To change one row alone, open the softmax bench at the softmax in Walk.";
    };
    return said(score_field(with_slider(field, 0.05, 20)), Scope::layer);
}

RecipeField scale() {
    const Words words{"scale", "Scale",
                      "Multiplies every product of query and key; \"default\" is 1/√head_dim.",
                      FieldGroup::scores};
    constexpr double most = 1e6;
    RecipeField field = optional<Recipe>(number<float>(words, -most, most, std::identity()),
                                         "default", &Recipe::scale);
    field.nonzero = true;
    // If it was set, it is shown so that it can be reset.
    field.shown = [](const Recipe& recipe, const Trace& trace) {
        return has_scores(trace) && (trace.config.score() == Score::scaled_dot || recipe.scale);
    };
    return said(field, Scope::layer);
}

RecipeField mask() {
    constexpr std::string_view name = "mask";
    RecipeField field = blank<Recipe>(
        {name, "Mask",
         "Which keys a query must not attend to: their scores become −∞ before the softmax.",
         FieldGroup::mask},
        FieldKind::rules);
    field.unset = "none";
    field.get = [](const Recipe& recipe) { return mask_text(recipe.mask); };
    field.put = [=](Recipe& recipe, const std::string& text) {
        recipe.mask = parse_mask(name, text);
    };
    return said(score_field(field), Scope::layer);
}

RecipeField positions() {
    RecipeField field = choice<Recipe>(
        {"positions", "Positions",
         "How a token knows its place: a table added to it, a rotation of queries and keys, or a "
         "bias added to the scores. \"model\" is the model's own.",
         FieldGroup::positions},
        [](auto& r) -> auto& { return r.position.kind; });
    // If the base was the usual one of the old kind, it becomes the usual one of the new kind.
    field.put = [put = field.put](Recipe& recipe, const std::string& text) {
        const auto usual = [&] {
            const float base = info(recipe.position.kind).takes.base;
            return base > 0 ? base : kUsualBase;
        };
        const bool was_usual = recipe.position.base == usual();
        put(recipe, text);
        if (was_usual) recipe.position.base = usual();
    };
    field.labels = labels_of(all_positions());
    field.options = [choices = field.choices](const Trace& trace) {
        Options options = choices;
        // A bare layer has no positions of its own, so it gets sinusoidal ones.
        if (is_bare(trace)) options = all_but(options, {"model"});
        if (!is_cross(trace)) return options;
        // Queries of cross-attention have no place in the picture.
        if (!trace.image) return Options{"none"};
        for (const PositionInfo& kind : all_positions())
            if (kind.effect == PositionEffect::turned || kind.effect == PositionEffect::biased)
                options = all_but(options, {name_of(kind.id)});
        return options;
    };
    return said(std::move(field), Scope::patches);
}

// A setting that only some kinds of positions use.
template <class Takes>
RecipeField kind_field(RecipeField field, std::string_view option, Takes takes) {
    field.shown = [takes](const Recipe& recipe, const Trace& trace) {
        // A bare layer has no positions of its own, so it gets sinusoidal ones.
        PositionChoice position = recipe.position;
        if (position.kind == PositionKind::model && is_bare(trace))
            position.kind = PositionKind::sinusoidal;
        return takes(position);
    };
    return said(std::move(field), Scope::patches, option);
}

Table position_fields() {
    constexpr FieldGroup group = FieldGroup::positions;
    RecipeField base = number<Recipe>(
        {"position_base", "Base of the waves",
         "Sets the wavelengths of sinusoidal positions: from 2π to 2π × this number, in tokens.",
         group},
        1.5, 1e6, [](auto& r) -> auto& { return r.position.base; });
    base.brief = "base";
    RecipeField first = choice<Recipe>(
        {"position_first", "First waves",
         "Which 2-D waves come first in each row of the table: those along the columns, as in MAE, "
         "or those down the rows, as in MoCo-v3.",
         group},
        [](auto& r) -> auto& { return r.position.first; });
    first.brief = "first";
    const RecipeField start = choice<Recipe>(
        {"position_bias", "Bias begins as",
         "How a relative bias starts: drawn from a seed, or decreasing with distance, with one "
         "slope for each head (ALiBi in two dimensions).",
         group},
        [](auto& r) -> auto& { return r.position.bias.start; });
    const RecipeField strength = number<Recipe>(
        {"position_strength", "Strength of the bias",
         "Multiplies the relative bias; 0 adds nothing.", group},
        -100, 100, [](auto& r) -> auto& { return r.position.bias.strength; });
    const RecipeField seed = number<Recipe>(
        {"position_seed", "Seed of the positions",
         "The random seed for learned embeddings or a relative bias.", group},
        0, 999999, [](auto& r) -> auto& { return r.position.bias.seed; });
    const auto takes_bias = [](const PositionChoice& p) { return info(p.kind).takes.bias; };
    return {kind_field(with_slider(base, 10, 100000), "positions.base",
                       [](const PositionChoice& p) { return info(p.kind).takes.base > 0; }),
            kind_field(first, "positions.first",
                       [](const PositionChoice& p) { return info(p.kind).takes.first; }),
            kind_field(labeled(start, {{"drawn", "drawn from a seed"},
                                       {"distance", "falling with distance"}}),
                       "positions.bias", takes_bias),
            kind_field(with_slider(strength, 0, 4), "positions.strength", takes_bias),
            kind_field(seed, "positions.seed", draws)};
}

RecipeField skip() {
    RecipeField field = left_to_model(
        named<Skip>({"skip", "Skip",
                     "What is added to the projection at the end: nothing, V, X or both.",
                     FieldGroup::layer}),
        &Recipe::skip, [](const Trace& trace) { return std::string(name_of(trace.config.skip)); });
    field.labels = {{"value", "V"}, {"input", "X"}, {"both", "V and X"}};
    // Queries of cross-attention have no values.
    field.options = [choices = field.choices](const Trace& trace) {
        return is_cross(trace) ? all_but(choices, {"value", "both"}) : choices;
    };
    field.applies_to = AppliesTo::bare_layer;
    return said(field, Scope::layer);
}

// A variant of a single layer; a trained model has none.
RecipeField layer_field(RecipeField field, std::string_view key = {}) {
    field.applies_to = AppliesTo::bare_layer;
    return said(std::move(field), Scope::layer, key);
}

RecipeField probability(const Words& words, std::string_view key, float Dropout::*p) {
    const RecipeField field = number<Recipe>(
        words, 0, 0.95, [p](auto& r) -> auto& { return r.variant.dropout.*p; });
    return layer_field(with_slider(field, 0, 0.9), key);
}

Table variant_fields() {
    constexpr FieldGroup scores = FieldGroup::scores, layer = FieldGroup::layer;
    Labels labels = labels_of(all_scores());
    labels.emplace_back("usual", "as usual");
    return {
        layer_field(score_field(labeled(
            optional<Recipe>(
                named<Score>({"score", "Score",
                              "How the score of a query and a key is computed. Usually it is their "
                              "scaled dot product; without projections, it is their dot product.",
                              scores}),
                "usual", [](auto& r) -> auto& { return r.variant.score; }),
            labels))),
        layer_field(score_field(labeled(
            choice<Recipe>(
                {"weights_from", "Weights by",
                 "How a row of scores becomes weights: softmax, or all the weight to the largest.",
                 scores},
                [](auto& r) -> auto& { return r.variant.weights_from; }),
            {{"max", "maximum"}}))),
        layer_field(score_field(choice<Recipe>(
            {"projections", "Projections",
             "Whether queries, keys and values are learned projections of the tokens, or the "
             "tokens themselves.",
             layer},
            [](auto& r) -> auto& { return r.variant.projections; }))),
        layer_field(
            shown_when(labeled(choice<Recipe>(
                                   {"activation_after", "After products",
                                    "What follows the projections to queries, keys, values and "
                                    "output: nothing, or a ReLU, as after 1×1 convolutions.",
                                    layer},
                                   [](auto& r) -> auto& { return r.variant.activation_after; }),
                               {{"none", "nothing"}, {"relu", "ReLU"}}),
                       has_projections)),
        layer_field(shown_when(
            choice<Recipe>(
                {"sum_over", "Sums over",
                 "What A·V sums over: the keys or, by a mistake seen in tutorials, the queries.",
                 layer},
                [](auto& r) -> auto& { return r.variant.sum_over; }),
            [](const Recipe& recipe, const Trace&) {
                return !is_cross(recipe) || recipe.variant.sum_over != SumOver::keys;
            })),
        probability(
            {"dropout_attention", "Dropout of attention",
             "The fraction of the attention weights set to zero at random, as in training.", layer},
            "dropout.attention", &Dropout::attention),
        probability({"dropout_output", "Dropout of the output",
                     "The fraction of the output set to zero at random, as in training.", layer},
                    "dropout.output", &Dropout::output),
        layer_field(
            shown_when(
                number<Recipe>(
                    {"dropout_seed", "Seed of dropout", "The random seed for dropout.", layer}, 0,
                    999999, [](auto& r) -> auto& { return r.variant.dropout.seed; }),
                [](const Recipe& recipe, const Trace&) {
                    const Dropout& dropout = recipe.variant.dropout;
                    return dropout.attention > 0 || dropout.output > 0;
                }),
            "dropout.seed"),
    };
}

RecipeField queries() {
    RecipeField field = optional<Recipe>(
        number<int>({"queries", "Learned queries",
                     "The number of random queries that attend to the picture's patches. This is "
                     "cross-attention, as with DETR's object queries.",
                     FieldGroup::layer},
                    1, kMostQueries, std::identity()),
        "none", &Recipe::queries);
    field.applies_to = AppliesTo::queries;
    return shown_when(field, [](const Recipe& recipe, const Trace& trace) {
        return recipe.queries || !trace.model || takes_queries(*trace.model);
    });
}

RecipeField query_seed() {
    RecipeField field = number<Recipe>({"query_seed", "Seed of the queries",
                                        "The random seed for the queries.", FieldGroup::layer},
                                       0, 999999, &Recipe::query_seed);
    field.applies_to = AppliesTo::queries;
    return shown_when(
        field, [](const Recipe& recipe, const Trace&) { return recipe.queries.has_value(); });
}

RecipeField seed() {
    const RecipeField field = number<Recipe>(
        {"seed", "Seed", "The seed of random weights, which are used without a checkpoint.",
         FieldGroup::layer},
        0, 999999, &Recipe::seed);
    return applying_to(AppliesTo::drawn_layer, field);
}

Table experiment_fields() {
    Table fields{temperature(), scale(), mask(), positions()};
    for (RecipeField& field : position_fields()) fields.push_back(std::move(field));
    for (RecipeField& field : std::vector{skip(), queries(), query_seed(), seed()})
        fields.push_back(std::move(field));
    return fields;
}

Table walk_fields() {
    constexpr FieldGroup group = FieldGroup::elsewhere;
    RecipeField layer = blank<Recipe>(
        {"layer", "Layer", "The layer that is shown, counted from 1.", group}, FieldKind::integer);
    layer.low = 1;
    layer.high = 10'000;
    layer.one_based = true;
    layer.get = [](const Recipe& recipe) { return std::to_string(recipe.layer + 1); };
    layer.put = [](Recipe& recipe, const std::string& text) {
        recipe.layer = parse_ordinal("layer", text, std::numeric_limits<int>::max(), "layers");
    };
    layer.applies_to = AppliesTo::several_layers;
    layer.shown = [](const Recipe&, const Trace&) { return false; };  // the walk selects it
    RecipeField off =
        blank<Recipe>({"switched_off", "Heads off",
                       "Heads whose output is zero, as LAYER.HEAD, both counted from 1.", group},
                      FieldKind::structure);
    off.unset = "none";
    off.get = [](const Recipe& recipe) { return heads_text(recipe.switched_off); };
    off.put = [](Recipe& recipe, const std::string& text) {
        recipe.switched_off = parse_heads("switched_off", text);
    };
    return {layer, said(off, Scope::layer)};
}

// ---- the rollout: either not requested, or described by all three fields

RolloutSettings rollout_of(const Recipe& r) { return r.rollout.value_or(RolloutSettings{}); }

// A field of the rollout settings. If no rollout is requested, it shows the default.
RecipeField rollout_field(const FieldOf<RolloutSettings>& of_settings) {
    RecipeField field;
    static_cast<FieldInfo&>(field) = of_settings;
    field.get = [get = of_settings.get](const Recipe& recipe) { return get(rollout_of(recipe)); };
    field.put = [put = of_settings.put](Recipe& recipe, const std::string& text) {
        RolloutSettings settings = rollout_of(recipe);
        put(settings, text);
        if (recipe.rollout) recipe.rollout = settings;
    };
    return field;
}

RecipeField fusion() {
    const FieldOf<RolloutSettings> of_settings =
        choice<RolloutSettings>({"rollout", "Rollout",
                                 "Multiplies attention through all layers. The heads of each layer "
                                 "are combined by mean, max or min.",
                                 FieldGroup::rollout},
                                &RolloutSettings::fusion);
    RecipeField field = rollout_field(of_settings);
    field.labels = {{"mean", "mean of the heads"},
                    {"max", "largest of the heads"},
                    {"min", "smallest of the heads"}};
    field.unset = "off";
    field.choices.push_back(field.unset);
    field.get = [get = field.get](const Recipe& recipe) {
        return recipe.rollout ? get(recipe) : "off";
    };
    field.put = [put = field.put](Recipe& recipe, const std::string& text) {
        if (text == "off") return recipe.rollout.reset();
        Recipe asked = recipe;
        asked.rollout = rollout_of(recipe);
        put(asked, text);
        recipe.rollout = asked.rollout;
    };
    return field;
}

Table rollout_fields() {
    constexpr FieldGroup group = FieldGroup::rollout;
    RecipeField discard = rollout_field(number<RolloutSettings>(
        {"rollout_discard", "Discard",
         "The fraction of each layer's attention that the rollout leaves out, the smallest first.",
         group},
        0, 0.99, &RolloutSettings::discard_ratio));
    discard.slide_high = discard.high;
    RecipeField normalised = rollout_field(choice<RolloutSettings>(
        {"rollout_norm", "Normalized by",
         "The published definition divides each row by its own sum; vit-explain divides column j "
         "by the sum of row j.",
         group},
        &RolloutSettings::normalisation));
    normalised.labels = {{"rows", "each row's sum"}, {"vit_explain", "as vit-explain does"}};
    discard.shown = normalised.shown = [](const Recipe& recipe, const Trace&) {
        return recipe.rollout.has_value();
    };
    Table fields{fusion(), discard, normalised};
    for (RecipeField& field : fields) field.applies_to = AppliesTo::whole_model;
    return fields;
}

Table make_table() {
    Table table;
    for (Table& group :
         std::array{picture_fields(), signal_fields(), image_fields(), patch_fields(),
                    layer_fields(), model_fields(), map_fields(), experiment_fields(),
                    variant_fields(), walk_fields(), rollout_fields()})
        std::move(group.begin(), group.end(), std::back_inserter(table));
    return table;
}

}  // namespace

const std::vector<RecipeField>& recipe_fields() {
    static const Table table = make_table();
    return table;
}

}  // namespace headlight

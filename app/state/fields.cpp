#include "state/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>

#include "state/command.h"
#include "state/values.h"

namespace headlight {

namespace {

constexpr std::string_view kOfModel = "model";  // a field that is left to the model

// What the table says in words. `name` outlives every field: it is a literal.
struct Words {
    std::string_view name, label, help;
    FieldGroup group;
};

Field blank(const Words& words, FieldKind kind) {
    Field field;
    field.name = words.name;
    field.label = words.label;
    field.help = words.help;
    field.group = words.group;
    field.kind = kind;
    return field;
}

// In all of these `ref` gives the place in a State that the field stands for: [](auto& s) -> auto&.

template <class Ref>
Field integer(const Words& words, int low, int high, Ref ref) {
    Field field = blank(words, FieldKind::integer);
    field.low = low;
    field.high = high;
    field.get = [ref](const State& s) { return std::to_string(ref(s)); };
    field.set = [ref, low, high, name = words.name](State& s, const std::string& text) {
        ref(s) = parse_integer(name, text, low, high);
    };
    return field;
}

template <class Ref>
Field number(const Words& words, double low, double high, bool logarithmic, Ref ref) {
    Field field = blank(words, FieldKind::number);
    field.low = field.slide_low = low;
    field.high = field.slide_high = high;
    field.logarithmic = logarithmic;
    field.get = [ref](const State& s) { return number_text(ref(s)); };
    field.set = [ref, low, high, name = words.name](State& s, const std::string& text) {
        ref(s) = static_cast<float>(parse_number(name, text, low, high));
    };
    return field;
}

template <class Ref>
Field toggle(const Words& words, Ref ref) {
    Field field = blank(words, FieldKind::toggle);
    field.get = [ref](const State& s) { return std::string(ref(s) ? "true" : "false"); };
    field.set = [ref, name = words.name](State& s, const std::string& text) {
        const bool yes = text == "true" || text == "on", no = text == "false" || text == "off";
        if (!yes && !no)
            throw CommandError(std::string(name) + ": expected true or false, found " +
                               in_quotes(text) + ".");
        ref(s) = yes;
    };
    return field;
}

// The rest is for fields that can be left to the model: an optional that is empty then.
template <class OfModel>
Field left_to_model(Field field, OfModel of_model) {
    field.of_model = of_model;
    return field;
}

template <class Ref, class OfModel>
Field optional_integer(const Words& words, int low, int high, Ref ref, OfModel of_model) {
    Field field = blank(words, FieldKind::integer);
    field.low = low;
    field.high = high;
    field.get = [ref](const State& s) {
        return ref(s) ? std::to_string(*ref(s)) : std::string(kOfModel);
    };
    field.set = [ref, low, high, name = words.name](State& s, const std::string& text) {
        if (text == kOfModel)
            ref(s).reset();
        else
            ref(s) = parse_integer(name, text, low, high);
    };
    return left_to_model(field, of_model);
}

template <class Ref, class OfModel>
Field optional_number(const Words& words, double low, double high, Ref ref, OfModel of_model) {
    Field field = blank(words, FieldKind::text);
    field.get = [ref](const State& s) {
        return ref(s) ? number_text(*ref(s)) : std::string(kOfModel);
    };
    field.set = [ref, low, high, name = words.name](State& s, const std::string& text) {
        if (text == kOfModel)
            ref(s).reset();
        else
            ref(s) = static_cast<float>(parse_number(name, text, low, high));
    };
    return left_to_model(field, of_model);
}

Field with_slider(Field field, double low, double high) {
    field.slide_low = low;
    field.slide_high = high;
    field.logarithmic = high / low > 16;
    return field;
}

// Of all values of a slider that `fits` allows, the nearest.
template <class Fits>
Field snapping(Field field, Fits fits) {
    const auto low = static_cast<int>(field.slide_low), high = static_cast<int>(field.slide_high);
    field.snap = [fits, low, high](const State& s, double value) {
        double best = value, distance = high;
        for (int i = low; i <= high; ++i)
            if (fits(s, i) && std::abs(i - value) < distance)
                best = i, distance = std::abs(i - value);
        return best;
    };
    return field;
}

using Choices = std::vector<std::string_view>;

std::size_t find_choice(std::string_view name, const Choices& choices, const std::string& text) {
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    std::string expected;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) expected += i + 1 < choices.size() ? ", " : " or ";
        expected += choices[i];
    }
    throw CommandError(std::string(name) + ": expected " + expected + ", found " + in_quotes(text) +
                       ".");
}

// `choices` in the order of the enumerators; of a bool: false, true.
template <class Ref>
Field choice(const Words& words, const Choices& choices, Ref ref) {
    Field field = blank(words, FieldKind::choice);
    field.choices = choices;
    field.get = [ref, choices](const State& s) {
        return std::string(choices.at(static_cast<std::size_t>(ref(s))));
    };
    field.set = [ref, choices, name = words.name](State& s, const std::string& text) {
        using Value = std::remove_reference_t<decltype(ref(s))>;
        ref(s) = static_cast<Value>(find_choice(name, choices, text));
    };
    return field;
}

// The last of the choices leaves it to the model.
template <class Ref, class OfModel>
Field optional_choice(const Words& words, Choices choices, Ref ref, OfModel of_model) {
    choices.push_back(kOfModel);
    Field field = blank(words, FieldKind::choice);
    field.choices = choices;
    field.get = [ref, choices](const State& s) {
        return std::string(ref(s) ? choices.at(static_cast<std::size_t>(*ref(s))) : kOfModel);
    };
    field.set = [ref, choices, name = words.name](State& s, const std::string& text) {
        using Value = typename std::remove_reference_t<decltype(ref(s))>::value_type;
        const std::size_t chosen = find_choice(name, choices, text);
        if (chosen + 1 == choices.size())
            ref(s).reset();
        else
            ref(s) = static_cast<Value>(chosen);
    };
    return left_to_model(field, of_model);
}

template <class Ref>
Field named_choice(const Words& words, const Choices& choices, Ref ref) {
    Field field = blank(words, FieldKind::choice);
    field.choices = choices;
    field.get = [ref](const State& s) { return ref(s); };
    field.set = [ref, choices, name = words.name](State& s, const std::string& text) {
        ref(s) = std::string(choices[find_choice(name, choices, text)]);
    };
    return field;
}

constexpr int kMostPixels = 4096;

template <class Ref, class OfModel>
Field pixels(std::string_view name, std::string_view label, std::string_view help, Ref ref,
             OfModel of_model) {
    return with_slider(
        optional_integer({name, label, help, FieldGroup::image}, 1, kMostPixels, ref, of_model), 32,
        512);
}

std::string height_of(const Trace& trace) { return std::to_string(trace.preprocessing.height); }
std::string width_of(const Trace& trace) { return std::to_string(trace.preprocessing.width); }

Field image_size() {
    Field field = pixels(
        "image_size", "Size", "Height and width of the framed image, in pixels.",
        [](auto& s) -> auto& { return s.recipe.image_height; }, height_of);
    field.set = [set_height = field.set](State& s, const std::string& text) {
        set_height(s, text);
        s.recipe.image_width = s.recipe.image_height;
    };
    return field;
}

// Three numbers, one per channel, with blanks or commas between them.
std::array<float, 3> parse_channels(std::string_view name, std::string text, double low) {
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    std::array<float, 3> channels{};
    std::string word;
    std::size_t count = 0;
    for (; words >> word; ++count)
        if (count < channels.size())
            channels[count] = static_cast<float>(parse_number(name, word, low, 1000));
    if (count != channels.size())
        throw CommandError(std::string(name) + ": expected three numbers, found " +
                           in_quotes(text) + ".");
    return channels;
}

std::string channels_text(std::span<const float> channels) {
    std::string text;
    for (const float value : channels) text += (text.empty() ? "" : " ") + number_text(value);
    return text;
}

template <class Ref, class OfModel>
Field channels(const Words& words, double low, Ref ref, OfModel of_model) {
    Field field = blank(words, FieldKind::text);
    field.get = [ref](const State& s) {
        return ref(s) ? channels_text(*ref(s)) : std::string(kOfModel);
    };
    field.set = [ref, low, name = words.name](State& s, const std::string& text) {
        if (text == kOfModel)
            ref(s).reset();
        else
            ref(s) = parse_channels(name, text, low);
    };
    return left_to_model(field, of_model);
}

Field patch_size() {
    Field field = optional_integer(
        {"patch_size", "Patch size", "Pixels along one side of a square patch.",
         FieldGroup::patches},
        1, 512, [](auto& s) -> auto& { return s.recipe.patches.size; },
        [](const Trace& trace) { return std::to_string(trace.grid.settings.size); });
    // Patches that touched keep touching: so a person expects it.
    field.set = [set_size = field.set](State& s, const std::string& text) {
        PatchChoice& patches = s.recipe.patches;
        const bool touching = patches.stride == patches.size;
        set_size(s, text);
        if (touching) patches.stride.reset();
    };
    return with_slider(field, 4, 64);
}

Field stride() {
    return with_slider(
        optional_integer(
            {"stride", "Stride",
             "Pixels from one patch to the next; smaller than the patch size, they overlap.",
             FieldGroup::patches},
            1, 512, [](auto& s) -> auto& { return s.recipe.patches.stride; },
            [](const Trace& trace) { return std::to_string(trace.grid.settings.stride); }),
        4, 64);
}

Field heads() {
    return snapping(
        with_slider(optional_integer(
                        {"heads", "Heads", "Number of heads H; each gets C / H channels.",
                         FieldGroup::layer},
                        1, kMostHeads, [](auto& s) -> auto& { return s.recipe.heads; },
                        [](const Trace& trace) { return std::to_string(trace.config.heads); }),
                    1, 16),
        [](const State& s, int heads) { return s.recipe.channels % heads == 0; });
}

Field scale() {
    Field field = blank({"scale", "Scale",
                         "What every product of query and key is multiplied by; \"default\" is one "
                         "over the root of head_dim.",
                         FieldGroup::experiment},
                        FieldKind::text);
    field.get = [](const State& s) {
        return s.recipe.scale ? number_text(*s.recipe.scale) : std::string("default");
    };
    field.set = [](State& s, const std::string& text) {
        if (text == "default") {
            s.recipe.scale.reset();
            return;
        }
        constexpr double limit = 1e6;
        try {
            const auto value = static_cast<float>(parse_number("scale", text, -limit, limit));
            if (value != 0.0F) {
                s.recipe.scale = value;
                return;
            }
        } catch (const CommandError&) {  // said below, with the other way to write it
        }
        throw CommandError(
            "scale: expected default or a number from -1000000 to 1000000 other than 0, found " +
            in_quotes(text) + ".");
    };
    return field;
}

Field weights() {
    Field field = blank({"weights", "Weights",
                         "A checkpoint; empty: one attention layer, drawn at random from the seed.",
                         FieldGroup::layer},
                        FieldKind::text);
    field.get = [](const State& s) { return s.recipe.weights; };
    // Another file has other layers, and what was said of the old one means nothing to it.
    field.set = [](State& s, const std::string& text) {
        if (text == s.recipe.weights) return;
        s.recipe.weights = text;
        s.recipe.model = {};
        s.recipe.layer = 0;
    };
    return field;
}

Field skip() {
    const Choices skips{"none", "value", "input"};
    return optional_choice(
        {"skip", "Skip", "What is added to the projection at the end: nothing, V or X.",
         FieldGroup::experiment},
        skips, [](auto& s) -> auto& { return s.recipe.skip; },
        [skips](const Trace& trace) {
            return std::string(skips[static_cast<std::size_t>(trace.config.skip)]);
        });
}

Field mask() {
    Choices names;
    for (const MaskInfo& mask : all_masks()) names.push_back(mask.name);
    return choice({"mask", "Mask", "Who may not read whom: such scores become −∞ before the softmax.",
                   FieldGroup::experiment},
                  names, [](auto& s) -> auto& { return s.recipe.mask; });
}

std::vector<Field> image_fields() {
    constexpr FieldGroup group = FieldGroup::image;
    const Choices framings{"crop", "fit", "stretch"};
    std::vector<Field> fields{
        image_size(),
        pixels(
            "image_height", "Height", "Height of the framed image, in pixels.",
            [](auto& s) -> auto& { return s.recipe.image_height; }, height_of),
        pixels(
            "image_width", "Width", "Width of the framed image, in pixels.",
            [](auto& s) -> auto& { return s.recipe.image_width; }, width_of),
        optional_choice(
            {"framing", "Framing",
             "How the picture meets the frame: cut what stands out, show all of it, or give up "
             "its aspect.",
             group},
            framings, [](auto& s) -> auto& { return s.recipe.framing; },
            [framings](const Trace& trace) {
                return std::string(framings[static_cast<std::size_t>(trace.preprocessing.framing)]);
            }),
        channels(
            {"mean", "Mean", "Subtracted from the pixels of each channel: red, green, blue.",
             group},
            -1000, [](auto& s) -> auto& { return s.recipe.mean; },
            [](const Trace& trace) { return channels_text(trace.preprocessing.mean); }),
        channels(
            {"std", "Deviation", "What the pixels of each channel are divided by after that.",
             group},
            1e-6, [](auto& s) -> auto& { return s.recipe.std; },
            [](const Trace& trace) { return channels_text(trace.preprocessing.std); }),
        optional_choice(
            {"color", "Colour", "Three channels or one.", group}, {"rgb", "grey"},
            [](auto& s) -> auto& { return s.recipe.grey; },
            [](const Trace& trace) {
                return std::string(trace.image->channels == 1 ? "grey" : "rgb");
            }),
    };
    fields.back().of_whole_model = false;
    return fields;
}

std::vector<Field> patch_fields() {
    return {
        patch_size(),
        stride(),
        choice(
            {"ragged", "Border",
             "A border too thin for a whole patch is padded with zeros or left out.",
             FieldGroup::patches},
            {"pad", "crop"}, [](auto& s) -> auto& { return s.recipe.patches.ragged; }),
    };
}

std::vector<Field> layer_fields() {
    return {
        snapping(
            with_slider(integer(
                            {"channels", "Channels",
                             "Width C of an output token, all heads together.", FieldGroup::layer},
                            1, 4096, [](auto& s) -> auto& { return s.recipe.channels; }),
                        4, 768),
            [](const State& s, int channels) {
                return channels % s.recipe.heads.value_or(kUsualHeads) == 0;
            }),
        heads(),
        toggle(
            {"bias", "QKV bias", "Whether the first product adds a bias.", FieldGroup::layer},
            [](auto& s) -> auto& { return s.recipe.qkv_bias; }),
        weights(),
    };
}

Field family() {
    Field field =
        blank({"family", "Family",
               "Whose conventions hold, where the names of the tensors fit several: timm or dino.",
               FieldGroup::model},
              FieldKind::text);
    field.get = [](const State& s) {
        return s.recipe.model.family.value_or(std::string(kOfModel));
    };
    field.set = [](State& s, const std::string& text) {
        std::optional<std::string> family;
        if (text != kOfModel) family.emplace(text);
        s.recipe.model.family = std::move(family);
    };
    field.of_model = [](const Trace& trace) { return trace.model->family; };
    return field;
}

const Block& block_of(const Trace& trace) {
    return trace.model->blocks[static_cast<std::size_t>(trace.block)];
}

std::vector<Field> model_fields() {
    constexpr FieldGroup group = FieldGroup::model;
    const Choices activations{"gelu", "gelu_tanh", "quick_gelu", "silu", "relu", "swiglu"};
    const Choices resamplings{"bicubic_offset", "bicubic", "bicubic_antialiased", "linear_corners"};
    std::vector<Field> fields{
        family(),
        optional_integer(
            {"num_heads", "Heads", "Number of heads, where the file cannot say it.", group}, 1,
            1024, [](auto& s) -> auto& { return s.recipe.model.num_heads; },
            [](const Trace& trace) { return std::to_string(trace.shape.heads); }),
        optional_number(
            {"layer_norm_eps", "Norm epsilon", "Added to a token's variance in every norm.", group},
            0, 1, [](auto& s) -> auto& { return s.recipe.model.layer_norm_eps; },
            [](const Trace& trace) { return number_text(block_of(trace).norm1.eps); }),
        optional_choice(
            {"activation", "Activation", "The curve between the two products of an MLP.", group},
            activations, [](auto& s) -> auto& { return s.recipe.model.activation; },
            [activations](const Trace& trace) {
                return std::string(
                    activations[static_cast<std::size_t>(block_of(trace).activation)]);
            }),
        optional_choice(
            {"resampling", "Positions resized by",
             "How the table of positions is brought to a grid of another size.", group},
            resamplings, [](auto& s) -> auto& { return s.recipe.model.resampling; },
            [resamplings](const Trace& trace) {
                return std::string(
                    resamplings[static_cast<std::size_t>(trace.model->positions.resampling)]);
            }),
    };
    for (Field& field : fields) field.of_bare_layer = false;
    return fields;
}

Field layer() {
    Field field = integer(
        {"layer", "Layer", "The layer that is looked at, counted from 0.", FieldGroup::walk}, 0,
        9999, [](auto& s) -> auto& { return s.recipe.layer; });
    field.of_bare_layer = false;
    return field;
}

std::vector<Field> experiment_fields() {
    constexpr FieldGroup group = FieldGroup::experiment;
    std::vector<Field> fields{
        number(
            {"temperature", "Temperature",
             "Divides the scores before the softmax: below 1 sharpens the attention, above 1 "
             "spreads it.",
             group},
            0.05, 20, true, [](auto& s) -> auto& { return s.recipe.temperature; }),
        scale(),
        mask(),
        choice(
            {"positions", "Positions",
             "What is added to the patches to tell each token where it stood; \"model\" is what "
             "the model was made with.",
             group},
            {"none", "sinusoidal", "model"}, [](auto& s) -> auto& { return s.recipe.position; }),
        skip(),
        integer(
            {"seed", "Seed", "Weights without a file are drawn from this number.", group}, 0,
            999999, [](auto& s) -> auto& { return s.recipe.seed; }),
    };
    for (Field& field : fields)
        if (field.name == "skip" || field.name == "seed") field.of_whole_model = false;
    fields.push_back(layer());
    return fields;
}

// Where no rollout is asked for, the other two say what it would be.
RolloutSettings rollout_of(const State& s) { return s.recipe.rollout.value_or(RolloutSettings{}); }

std::vector<Field> rollout_fields() {
    constexpr FieldGroup group = FieldGroup::rollout;
    const Choices choices{"mean", "max", "min", "off"};
    Field fusion = blank({"rollout", "Rollout",
                          "Attention multiplied through all layers, the heads of each fused by "
                          "mean, max or min.",
                          group},
                         FieldKind::choice);
    fusion.choices = choices;
    fusion.get = [choices](const State& s) {
        return std::string(
            s.recipe.rollout ? choices[static_cast<std::size_t>(s.recipe.rollout->fusion)] : "off");
    };
    fusion.set = [choices](State& s, const std::string& text) {
        const std::size_t chosen = find_choice("rollout", choices, text);
        if (chosen + 1 == choices.size()) return s.recipe.rollout.reset();
        RolloutSettings settings = rollout_of(s);
        settings.fusion = static_cast<HeadFusion>(chosen);
        s.recipe.rollout = settings;
    };
    Field discard =
        blank({"rollout_discard", "Discard",
               "Share of each layer's smallest attention that the rollout leaves out.", group},
              FieldKind::number);
    discard.slide_high = discard.high = 0.99;
    discard.get = [](const State& s) { return number_text(rollout_of(s).discard_ratio); };
    discard.set = [](State& s, const std::string& text) {
        const double ratio = parse_number("rollout_discard", text, 0, 0.99);
        if (s.recipe.rollout) s.recipe.rollout->discard_ratio = ratio;
    };
    const Choices normalisations{"rows", "vit_explain"};
    Field normalised = blank({"rollout_norm", "Normalised by",
                              "The published definition divides each row by its own sum; "
                              "vit-explain divides column j by the sum of row j.",
                              group},
                             FieldKind::choice);
    normalised.choices = normalisations;
    normalised.get = [normalisations](const State& s) {
        return std::string(normalisations[static_cast<std::size_t>(rollout_of(s).normalisation)]);
    };
    normalised.set = [normalisations](State& s, const std::string& text) {
        const std::size_t chosen = find_choice("rollout_norm", normalisations, text);
        if (s.recipe.rollout)
            s.recipe.rollout->normalisation = static_cast<RolloutNormalisation>(chosen);
    };
    std::vector<Field> fields{fusion, discard, normalised};
    for (Field& field : fields) field.of_bare_layer = false;
    return fields;
}

std::vector<Field> color_fields() {
    constexpr FieldGroup group = FieldGroup::look;
    const Choices maps = {"viridis", "magma", "cividis", "grey", "blue-white-red", "purple-orange"};
    return {
        choice(
            {"theme", "Theme", "Dark, or light for a projector.", group}, {"dark", "light"},
            [](auto& s) -> auto& { return s.look.theme; }),
        named_choice(
            {"signed_map", "Signed colours", "Colours of numbers on both sides of zero.", group},
            maps, [](auto& s) -> auto& { return s.look.signed_map; }),
        named_choice(
            {"attention_map", "Attention colours", "Colours of attention, from zero up.", group},
            maps, [](auto& s) -> auto& { return s.look.attention_map; }),
        choice(
            {"range", "Colour range",
             "Each matrix has a colour range of its own, or all heads share one.", group},
            {"own", "shared"}, [](auto& s) -> auto& { return s.look.range; }),
        choice(
            {"reading", "Reading",
             "What the picture shows of a token: whom it reads from, or by whom it is read.",
             group},
            {"from", "by"}, [](auto& s) -> auto& { return s.look.reading; }),
        toggle(
            {"overlay", "Attention on the image", "Lays the attention over the picture.", group},
            [](auto& s) -> auto& { return s.look.overlay; }),
        toggle(
            {"grid", "Grid", "Draws the patches' borders on the picture.", group},
            [](auto& s) -> auto& { return s.look.grid; }),
    };
}

// Chosen where they show, in the left column.
std::vector<Field> left_column_fields() {
    constexpr FieldGroup group = FieldGroup::columns;
    std::vector<Field> fields{
        toggle(
            {"rollout_shown", "Rollout on the image",
             "Lays the rollout over the picture instead of one layer's attention.", group},
            [](auto& s) -> auto& { return s.look.rollout_shown; }),
        toggle(
            {"all_layers", "Heads of all layers",
             "Shows one number for every head of the model instead of this layer's heads.", group},
            [](auto& s) -> auto& { return s.look.all_layers; }),
        choice(
            {"head_number", "Number of a head", "What is shown of every head of the model.", group},
            {"entropy", "distance", "class_token", "distillation_token", "registers", "itself"},
            [](auto& s) -> auto& { return s.look.head_number; }),
    };
    for (Field& field : fields) field.of_bare_layer = false;
    return fields;
}

std::vector<Field> window_fields() {
    constexpr FieldGroup group = FieldGroup::look;
    return {
        number(
            {"zoom", "Zoom", "Size of the interface.", group}, 0.5, 3, false,
            [](auto& s) -> auto& { return s.look.zoom; }),
        toggle(
            {"lecture", "Lecture view", "Large type, for the last row.", group},
            [](auto& s) -> auto& { return s.look.lecture; }),
        toggle(
            {"motion", "Motion", "Shows how a product is formed, cell by cell.", group},
            [](auto& s) -> auto& { return s.look.motion; }),
        number(
            {"speed", "Speed", "Of the motion and of playing.", group}, 0.1, 8, true,
            [](auto& s) -> auto& { return s.look.speed; }),
        number(
            {"left_width", "Left column", "Width of the left column.", FieldGroup::columns}, 200,
            900, false, [](auto& s) -> auto& { return s.look.left_width; }),
        number(
            {"right_width", "Right column", "Width of the right column.", FieldGroup::columns}, 200,
            900, false, [](auto& s) -> auto& { return s.look.right_width; }),
    };
}

std::vector<Field> make_table() {
    std::vector<Field> table;
    for (const auto& group :
         {image_fields(), patch_fields(), layer_fields(), model_fields(), experiment_fields(),
          rollout_fields(), color_fields(), left_column_fields(), window_fields()})
        table.insert(table.end(), group.begin(), group.end());
    for (Field& field : table)
        if (field.group == FieldGroup::patches || field.group == FieldGroup::layer)
            field.of_whole_model = field.name == "weights";
    return table;
}

}  // namespace

bool applies(const Field& field, const Trace& trace) {
    if (trace.model == nullptr || trace.model->is_bare_layer()) return field.of_bare_layer;
    return field.of_whole_model;
}

const std::vector<Field>& all_fields() {
    static const std::vector<Field> table = make_table();
    return table;
}

const Field* find_field(std::string_view name) {
    const auto& table = all_fields();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Field& f) { return f.name == name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace headlight

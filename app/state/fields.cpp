#include "state/fields.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "state/command.h"
#include "state/values.h"

namespace headlight {

namespace {

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

Field image_size() {
    Field field = integer(
        {"image_size", "Size", "Height and width of the framed image, in pixels.",
         FieldGroup::image},
        1, 4096, [](auto& s) -> auto& { return s.recipe.image_height; });
    field.set = [set_height = field.set](State& s, const std::string& text) {
        set_height(s, text);
        s.recipe.image_width = s.recipe.image_height;
    };
    return with_slider(field, 32, 512);
}

Field patch_size() {
    Field field = integer(
        {"patch_size", "Patch size", "Pixels along one side of a square patch.",
         FieldGroup::patches},
        1, 512, [](auto& s) -> auto& { return s.recipe.patches.size; });
    // Patches that touched keep touching: so a person expects it, and so does a model's file.
    field.set = [set_size = field.set](State& s, const std::string& text) {
        PatchSettings& patches = s.recipe.patches;
        const bool touching = patches.stride == patches.size;
        set_size(s, text);
        if (touching) patches.stride = patches.size;
    };
    return with_slider(field, 4, 64);
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
    Field field =
        blank({"weights", "Weights",
               "A safetensors file with one attention layer; empty: drawn at random from the seed.",
               FieldGroup::layer},
              FieldKind::text);
    field.get = [](const State& s) { return s.recipe.weights; };
    field.set = [](State& s, const std::string& text) { s.recipe.weights = text; };
    return field;
}

std::vector<Field> image_fields() {
    constexpr FieldGroup group = FieldGroup::image;
    return {
        image_size(),
        with_slider(integer(
                        {"image_height", "Height", "Height of the framed image, in pixels.", group},
                        1, 4096, [](auto& s) -> auto& { return s.recipe.image_height; }),
                    32, 512),
        with_slider(integer(
                        {"image_width", "Width", "Width of the framed image, in pixels.", group}, 1,
                        4096, [](auto& s) -> auto& { return s.recipe.image_width; }),
                    32, 512),
        choice(
            {"framing", "Framing",
             "How the picture meets the frame: cut what stands out, show all of it, or give up "
             "its aspect.",
             group},
            {"crop", "fit", "stretch"}, [](auto& s) -> auto& { return s.recipe.framing; }),
        choice(
            {"color", "Colour", "Three channels or one.", group}, {"rgb", "grey"},
            [](auto& s) -> auto& { return s.recipe.grey; }),
    };
}

std::vector<Field> patch_fields() {
    return {
        patch_size(),
        with_slider(
            integer(
                {"stride", "Stride",
                 "Pixels from one patch to the next; smaller than the patch size, they overlap.",
                 FieldGroup::patches},
                1, 512, [](auto& s) -> auto& { return s.recipe.patches.stride; }),
            4, 64),
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
            [](const State& s, int channels) { return channels % s.recipe.heads == 0; }),
        snapping(with_slider(integer(
                                 {"heads", "Heads", "Number of heads H; each gets C / H channels.",
                                  FieldGroup::layer},
                                 1, 64, [](auto& s) -> auto& { return s.recipe.heads; }),
                             1, 16),
                 [](const State& s, int heads) { return s.recipe.channels % heads == 0; }),
        toggle(
            {"bias", "QKV bias", "Whether the first product adds a bias.", FieldGroup::layer},
            [](auto& s) -> auto& { return s.recipe.qkv_bias; }),
        weights(),
    };
}

std::vector<Field> experiment_fields() {
    constexpr FieldGroup group = FieldGroup::experiment;
    return {
        number(
            {"temperature", "Temperature",
             "Divides the scores before the softmax: below 1 sharpens the attention, above 1 "
             "spreads it.",
             group},
            0.05, 20, true, [](auto& s) -> auto& { return s.recipe.temperature; }),
        scale(),
        choice(
            {"positions", "Positions",
             "What is added to the patches to tell each token where it stood.", group},
            {"none", "sinusoidal"}, [](auto& s) -> auto& { return s.recipe.position; }),
        choice(
            {"skip", "Skip", "What is added to the projection at the end: nothing, V or X.", group},
            {"none", "value", "input"}, [](auto& s) -> auto& { return s.recipe.skip; }),
        integer(
            {"seed", "Seed", "Weights without a file are drawn from this number.", group}, 0,
            999999, [](auto& s) -> auto& { return s.recipe.seed; }),
    };
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
    for (const auto& group : {image_fields(), patch_fields(), layer_fields(), experiment_fields(),
                              color_fields(), window_fields()})
        table.insert(table.end(), group.begin(), group.end());
    return table;
}

}  // namespace

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

#include "state/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "program/field_kinds.h"
#include "program/number_ranges.h"
#include "program/values.h"

namespace headlight {

namespace {

using namespace fields;

using Table = std::vector<LookField>;

LookField with_slider(LookField field, bool logarithmic) {
    field.slide_low = field.low;
    field.slide_high = field.high;
    field.logarithmic = logarithmic;
    return field;
}

Table color_fields() {
    constexpr FieldGroup group = FieldGroup::look;
    const Choices maps{"viridis", "magma", "cividis", "grey", "blue-white-red", "purple-orange"};
    return {
        choice<Look>({"theme", "Theme", "Dark or light.", group}, &Look::theme),
        choice<Look>({"lecture_theme", "Lecture's theme",
                      "Light, or dark for a dark room, while lecture view is on.", group},
                     &Look::lecture_theme),
        named_choice<Look>(
            {"signed_map", "Signed colours", "Colours of numbers on both sides of zero.", group},
            maps, &Look::signed_map),
        named_choice<Look>(
            {"attention_map", "Attention colours", "Colours of attention, from zero up.", group},
            maps, &Look::attention_map),
        labelled(
            choice<Look>({"attention_scale", "Attention scale",
                          "How attention is spread over its colours. Times even: in multiples of "
                          "1/N, which is what each of N tokens gets where all are read alike.",
                          group},
                         &Look::attention_scale),
            {{"square_root", "square root"}, {"even", "times even"}}),
        with_slider(number<Look>({"attention_cut", "Attention cut, %",
                                  "So many of a hundred cells, the largest, have a colour of their "
                                  "own, and the scale ends below them; at most 20, so that most "
                                  "cells keep colours that tell them apart.",
                                  group},
                                 0, kMostCut, &Look::attention_cut),
                    false),
        labelled(
            choice<Look>({"range", "Colour range",
                          "Each matrix has a colour range of its own, all heads share one, or a "
                          "zoomed matrix that of the cells in view.",
                          group},
                         &Look::range),
            {{"view", "in view"}}),
        choice<Look>(
            {"reading", "Reading",
             "What the picture shows of a token: whom it reads from, or by whom it is read.",
             group},
            &Look::reading),
        toggle<Look>(
            {"overlay", "Attention on the image", "Lays the attention over the picture.", group},
            &Look::overlay),
        toggle<Look>({"borders", "Grid", "Draws the patches' borders on the picture.", group},
                     &Look::grid),
    };
}

// Chosen where they show, in the left column.
Table left_column_fields() {
    constexpr FieldGroup group = FieldGroup::columns;
    Table fields{
        choice<Look>(
            {"heads_order", "Order of the maps",
             "How the maps of all heads are laid out: by layer, by likeness to the chosen "
             "one, in groups that look alike, or by a number, the largest first; \"change\" is "
             "how far a map is from that of the result that was kept.",
             group},
            Choices(kNames<HeadOrder>.begin(), kNames<HeadOrder>.end()), &Look::heads_order),
        choice<Look>({"heads_filter", "Heads shown",
                      "Which heads the maps are of: all, or those whose number is at least, or at "
                      "most, the bound.",
                      group},
                     &Look::heads_filter),
        choice<Look>({"heads_filter_by", "Shown by",
                      "The measure by whose number the heads are shown, or are not.", group},
                     &Look::heads_filter_by),
        number<Look>({"heads_bound", "Bound of the number",
                      "Of the number that the heads are shown by, in its unit: bits, pixels, a "
                      "share of the attention, a correlation, per cent of the probability or "
                      "logits.",
                      group},
                     -1e6, 1e6, &Look::heads_bound),
        optional<Look>(
            number<int>({"heads_class", "Class in question",
                         "Of which class importance, contributions and patching are, by its "
                         "number from 0; \"answer\": of the one that the model answers.",
                         group},
                        0, kMostClass, std::identity()),
            "answer", &Look::heads_class),
        with_slider(number<Look>({"heads_alike", "Alike from a correlation of",
                                  "Where the maps are grouped, two groups become one if their maps "
                                  "correlate on average at least so.",
                                  group},
                                 -1, 1, &Look::heads_alike),
                    false),
        with_slider(
            number<Look>({"heads_mass", "Mass of the maps, %",
                          "Of the maps of all heads only the fewest patches are shown that hold "
                          "so much of what goes to patches; 100 shows all.",
                          group},
                         1, 100, &Look::heads_mass),
            false),
        choice<Look>(
            {"heads_combined", "Maps combined",
             "Beside the maps of all heads: those of a layer, of a head in all layers, and "
             "all of them, as one map each, patch by patch; or of each layer one picture in which "
             "a patch has the hue of the head that looks there most.",
             group},
            &Look::heads_combined),
        toggle<Look>({"heads_smooth", "Smooth maps",
                      "Draws the maps of all heads, and those of a figure, smoothly: bilinear "
                      "between the patches' middles, of the numbers before they become colours. "
                      "Else each patch is one square. Maps in hues are always squares.",
                      group},
                     &Look::heads_smooth),
        toggle<Look>({"heads_contours", "Contours",
                      "Draws lines of equal attention over the maps of all heads, and over those "
                      "of a figure: at round numbers of their scale, between the patches' middles. "
                      "Maps in hues have none.",
                      group},
                     &Look::heads_contours),
        choice<Look>({"heads_patched", "Patched",
                      "What is taken from the result kept as before, where the maps are ordered by "
                      "patching: a head's output, a token after a layer, or what a layer gives.",
                      group},
                     &Look::heads_patched),
        choice<Look>({"heads_side", "Beside a head's numbers",
                      "How far the heads of each layer read, how far around a patch this head has "
                      "its attention (rings), or how large what each layer adds is beside the "
                      "stream that it adds it to (branches).",
                      group},
                     &Look::heads_side),
        toggle<Look>({"folder_shown", "Images of the folder",
                      "Shows the images of the picture's folder in a row below the maps of all "
                      "heads.",
                      group},
                     &Look::folder_shown),
        toggle<Look>({"folder_measured", "Folder measured",
                      "Runs the model on every image of the folder that is shown, and says where "
                      "the present one stands among them.",
                      group},
                     &Look::folder_measured),
        toggle<Look>({"rollout_shown", "Rollout on the image",
                      "Lays the rollout over the picture instead of one layer's attention.", group},
                     &Look::rollout_shown),
        toggle<Look>(
            {"all_layers", "Heads of all layers",
             "Shows one number for every head of the model instead of this layer's heads.", group},
            &Look::all_layers),
        choice<Look>(
            {"head_number", "Number of a head", "What is shown of every head of the model.", group},
            Choices(kNames<HeadMeasure>.begin(), kNames<HeadMeasure>.begin() + kRunMeasures),
            &Look::head_number),
    };
    for (LookField& field : fields) field.applies_to = AppliesTo::whole_model;
    return fields;
}

// Numbers of layers or heads.
template <class Place>
LookField ranges(const Words& words, Place place) {
    LookField field = text<Look>(words, FieldKind::text, place);
    field.put = [put = field.put, name = std::string(words.name)](Look& look,
                                                                  const std::string& said) {
        (void)NumberRanges(name, said);
        put(look, said);
    };
    return field;
}

// Which maps a figure shows, and how: its panel has their controls.
Table figure_fields() {
    constexpr FieldGroup group = FieldGroup::columns;
    return {
        ranges(
            {"figure_layers", "Layers", "Of a figure: all, or numbers as 1,9-12.", group},
            [](auto& l) -> auto& { return l.figure.layers; }),
        ranges(
            {"figure_heads", "Heads", "Of a figure: all, or numbers as 1,9-12.", group},
            [](auto& l) -> auto& { return l.figure.heads; }),
        labelled(
            choice<Look>(
                {"figure_queries", "Several queries",
                 "Of a figure: in one map, each in its hue, or each in rows of its own.", group},
                [](auto& l) -> auto& { return l.figure.queries; }),
            {{"hues", "in hues"}, {"rows", "in rows"}}),
        labelled(choice<Look>(
                     {"figure_combine", "Heads together",
                      "Of a figure: each by itself, or as one map for each layer.", group},
                     [](auto& l) -> auto& { return l.figure.combine; }),
                 {{"nothing", "each by itself"},
                  {"max", "largest"},
                  {"min", "smallest"},
                  {"hues", "in hues"}}),
        number<Look>(
            {"figure_mass", "Outlined mass, %",
             "In a figure the fewest patches are outlined that hold so much of what goes to "
             "patches; "
             "100: none.",
             group},
            1, 100, [](auto& l) -> auto& { return l.figure.mass; }),
        choice<Look>(
            {"figure_picture", "Picture",
             "Below the maps of a figure: the picture in its colours, in grey, or nothing.", group},
            [](auto& l) -> auto& { return l.figure.picture; }),
        optional<Look>(
            number<float>(
                {"figure_opacity", "Opacity, 0 to 1",
                 "Of a figure's maps over the picture. At 1 their colours are those of the bar. "
                 "\"usual\": 0.65, in hues 0.75, and 1 where there is no picture.",
                 group},
                0, 1, std::identity()),
            "usual", [](auto& l) -> auto& { return l.figure.opacity; }),
        number<Look>(
            {"figure_columns", "Columns",
             "Of a figure: so many maps side by side, each with its name; 0: as many as a layer "
             "has.",
             group},
            0, kMostColumns, [](auto& l) -> auto& { return l.figure.columns; }),
        number<Look>(
            {"figure_tile", "Size of a map", "In a figure: units of a map's longer side.", group},
            kLeastTile, kMostTile, [](auto& l) -> auto& { return l.figure.tile; }),
        labelled(choice<Look>(
                     {"figure_caption", "Caption",
                      "Of a figure: what made it, in words; own words; or none.", group},
                     [](auto& l) -> auto& { return l.figure.caption; }),
                 {{"made", "what made it"}, {"own", "own words"}}),
        text<Look>(
            {"figure_words", "Words", "A figure's caption, where it is one's own.", group},
            FieldKind::text, [](auto& l) -> auto& { return l.figure.words; }),
        choice<Look>(
            {"figure_theme", "Theme", "Of a figure: what is around the maps.", group},
            [](auto& l) -> auto& { return l.figure.theme; }),
        number<Look>(
            {"figure_resolution", "PNG, pixels a unit",
             "Of a figure: pixels of a PNG for each unit.", group},
            1, kMostResolution, [](auto& l) -> auto& { return l.figure.resolution; }),
    };
}

Table fold_fields() {
    constexpr std::array<std::array<std::string_view, 2>, kSectionCount> names{
        {{"fold_code", "Code"},
         {"fold_prediction", "Prediction"},
         {"fold_signal", "Signal"},
         {"fold_experiment", "Experiment"},
         {"fold_scores", "Scores"},
         {"fold_mask", "Mask"},
         {"fold_positions", "Positions"},
         {"fold_layer", "Layer"},
         {"fold_rollout", "Rollout"},
         {"fold_numbers", "Numbers"},
         {"fold_reference", "Reference"},
         {"fold_patches", "Patches"},
         {"fold_image", "Image"},
         {"fold_model", "Model"},
         {"fold_look", "Display"}}};
    Table fields;
    for (std::size_t i = 0; i < names.size(); ++i)
        fields.push_back(choice<Look>(
            {names[i][0], names[i][1], "Whether this part of the right column is open.",
             FieldGroup::columns},
            [i](auto& look) -> auto& { return look.folds[i]; }));
    return fields;
}

LookField column_width(std::string_view name, std::string_view label, std::string_view help,
                       float Look::*width) {
    return with_slider(number<Look>({name, label, help, FieldGroup::columns}, 200, 900, width),
                       false);
}

LookField order_field() {
    LookField field = blank<Look>(
        {"order", "Order of the patches",
         "What is done to the order of patches or words, as \"mirrored + shifted 0 1 + seed 3 of "
         "12 + exchanged 3-17\": \"none\", or these, each at most once and in this order.",
         FieldGroup::columns},
        FieldKind::text);
    field.get = [](const Look& look) { return to_text(look.order); };
    field.put = [](Look& look, const std::string& text) {
        try {
            look.order = order_from_text(text);
        } catch (const OrderError&) {
            refuse_value("order", std::string(kOrderForm), text);
        }
    };
    return field;
}

// A part of the order, which older sessions and lessons say by itself; now the order says it.
LookField shuffle_seed() {
    LookField field = number<Look>(
        {"shuffle_seed", "Shuffled order",
         "The seed of the order into which the patches are shuffled; 0: they are not.",
         FieldGroup::columns},
        0, kMostOfOrder, [](auto& l) -> auto& { return l.order.seed; });
    field.parts = {"order"};
    return field;
}

LookField waves_off(const Words& words, std::string_view brief, float Look::*share) {
    LookField field = with_slider(number<Look>(words, 0, 100, share), false);
    field.brief = brief;
    return field;
}

Table window_fields() {
    constexpr FieldGroup group = FieldGroup::look;
    return {
        choice<Look>({"screen", "Screen", "Which screen is shown.", FieldGroup::columns},
                     &Look::screen),
        number<Look>(
            {"position_channel", "Channel",
             "Of the positions: which channel lies over the picture.", FieldGroup::columns},
            0, 9999, &Look::position_channel),
        waves_off({"fast_waves_off", "Fast waves off, %",
                   "How many of the positions' fastest waves are left out of all "
                   "that is shown of the table.",
                   FieldGroup::columns},
                  "fast off", &Look::fast_waves_off),
        waves_off({"slow_waves_off", "Slow waves off, %",
                   "How many of the positions' slowest waves are left out of all "
                   "that is shown of the table.",
                   FieldGroup::columns},
                  "slow off", &Look::slow_waves_off),
        choice<Look>({"position_plot", "Plot of the positions",
                      "How well places are read off after each layer, or how what is added lies "
                      "to the tokens' own numbers.",
                      FieldGroup::columns},
                     &Look::position_plot),
        number<Look>({"readout_scenes", "Scenes read",
                      "So many drawn scenes teach the map that reads places off, and half as many "
                      "others test it; 0: the present picture, each patch by all others.",
                      FieldGroup::columns},
                     0, kMostReadScenes, &Look::readout_scenes),
        choice<Look>({"pair_measure", "All pairs by",
                      "How two rows of the table of positions are held against each other: the "
                      "cosine of both, their dot product, or how far they are apart.",
                      FieldGroup::columns},
                     &Look::pair_measure),
        choice<Look>({"position_way", "Told by",
                      "Of a model that tells positions in several ways, which is shown: the table "
                      "that is added, the rotation of queries and keys, or the bias of the scores.",
                      FieldGroup::columns},
                     &Look::position_way),
        choice<Look>({"position_card", "Said of the positions",
                      "The properties that are claimed of a table of positions, or the rotation of "
                      "each pair of channels from a patch to another.",
                      FieldGroup::columns},
                     &Look::position_card),
        number<Look>({"offset_right", "Columns on",
                      "Of the rotation M(k) from a patch to another: how many columns to the right "
                      "that one lies; below 0, to the left.",
                      FieldGroup::columns},
                     -kMostOffset, kMostOffset, &Look::offset_right),
        number<Look>({"offset_down", "Rows down",
                      "Of the rotation M(k) from a patch to another: how many rows below it that "
                      "one lies; below 0, above it.",
                      FieldGroup::columns},
                     -kMostOffset, kMostOffset, &Look::offset_down),
        shuffle_seed(),
        order_field(),
        optional<Look>(
            number<int>({"other_position", "Other position",
                         "Of the positions: which patch or word the one in focus is told "
                         "apart from, counted from 0; \"none\" is its neighbour.",
                         FieldGroup::columns},
                        0, 999999, std::identity()),
            "none", &Look::other_position),
        with_slider(
            number<Look>({"zoom", "Zoom", "Size of the interface.", group}, 0.5, 3, &Look::zoom),
            false),
        toggle<Look>({"lecture", "Lecture view", "Large type, for the last row.", group},
                     &Look::lecture),
        toggle<Look>({"pointer_light", "Pointer as a spotlight",
                      "In lecture view, dims all but what the pointer is near.", group},
                     &Look::pointer_light),
        toggle<Look>({"notes", "Speaker's notes",
                      "Below what a lesson says, what its author noted for the speaker.", group},
                     &Look::notes),
        toggle<Look>({"motion", "Motion", "Shows how a product is formed, cell by cell.", group},
                     &Look::motion),
        with_slider(number<Look>({"speed", "Speed", "Of the motion and of playing.", group}, 0.1, 8,
                                 &Look::speed),
                    true),
        choice<Look>({"scores_view", "Scores",
                      "What stands where a layer by itself makes its scores: these, those of all "
                      "score functions, or, of growing widths, why they are divided by √d.",
                      FieldGroup::columns},
                     &Look::scores_view),
        toggle<Look>({"heads_tools", "Tools of Heads",
                      "Shows all choices above the maps of all heads, and what saves the maps.",
                      FieldGroup::columns},
                     &Look::heads_tools),
        toggle<Look>({"heads_large", "Large heads", "Gives the heads the picture's room.",
                      FieldGroup::columns},
                     &Look::heads_large),
        column_width("left_width", "Left column", "Width of the left column.", &Look::left_width),
        column_width("right_width", "Right column", "Width of the right column.",
                     &Look::right_width),
    };
}

// The field of a part of the state, as one of the state.
template <class Part>
Field of_state(const FieldOf<Part>& of_part, Part State::*part) {
    Field field;
    static_cast<FieldInfo&>(field) = of_part;
    field.get = [get = of_part.get, part](const State& state) { return get(state.*part); };
    field.put = [put = of_part.put, part](State& state, const std::string& text) {
        put(state.*part, text);
    };
    if (of_part.shown)
        field.shown = [shown = of_part.shown, part](const State& state, const Trace& trace) {
            return shown(state.*part, trace);
        };
    if (of_part.snap)
        field.snap = [snap = of_part.snap, part](const State& state, double value) {
            return snap(state.*part, value);
        };
    return field;
}

std::vector<Field> make_table() {
    std::vector<Field> table;
    for (const RecipeField& field : recipe_fields())
        table.push_back(of_state(field, &State::recipe));
    for (const LookField& field : look_fields()) table.push_back(of_state(field, &State::look));
    return table;
}

}  // namespace

const std::vector<LookField>& look_fields() {
    static const Table table = [] {
        Table fields;
        for (const Table& group : {color_fields(), left_column_fields(), figure_fields(),
                                   window_fields(), fold_fields()})
            fields.insert(fields.end(), group.begin(), group.end());
        return fields;
    }();
    return table;
}

const std::vector<Field>& all_fields() {
    static const std::vector<Field> table = make_table();
    return table;
}

const Field* find_field(std::string_view name) { return find_field(all_fields(), name); }

std::string slider_text(const Field& field, const State& state, double value, int unit) {
    if (field.snap) value = field.snap(state, value);
    if (unit > 1) value = std::max(1.0, std::round(value / unit)) * unit;
    const bool whole = field.kind == FieldKind::integer;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.3g", value);
    // As the field itself says it: "1010", not "1.01e+03", which would be set again in every frame.
    return whole ? text.data() : number_text(std::strtof(text.data(), nullptr));
}

std::string* file_named(Command& command) {
    if (command.args.empty()) return nullptr;
    const bool opens = command.verb.starts_with("open") || command.verb == "tokens" ||
                       command.verb == "reference" || command.verb == "folder";
    if (opens) return command.args.data();
    const Field* field = command.verb == "set" ? find_field(command.args[0]) : nullptr;
    const bool is_file = field != nullptr && field->kind == FieldKind::file;
    return is_file && command.args.size() > 1 ? &command.args[1] : nullptr;
}

}  // namespace headlight

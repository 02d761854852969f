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
        named_choice<Look>({"signed_map", "Signed colors", "Colors of signed numbers.", group},
                           maps, &Look::signed_map),
        named_choice<Look>(
            {"attention_map", "Attention colors", "Colors of attention, from zero up.", group},
            maps, &Look::attention_map),
        labeled(choice<Look>({"attention_scale", "Attention scale",
                              "How attention is mapped to colors. \"times even\": in multiples of "
                              "1/N, the weight that each of N tokens gets when all get the same.",
                              group},
                             &Look::attention_scale),
                {{"square_root", "square root"}, {"even", "times even"}}),
        with_slider(number<Look>({"attention_cut", "Attention cut, %",
                                  "Clips and marks the largest cells, so that the rest use the "
                                  "full color scale. The number is a percentage of all cells, at "
                                  "most 20.",
                                  group},
                                 0, kMostCut, &Look::attention_cut),
                    false),
        labeled(choice<Look>({"range", "Color range",
                              "The range of the color scale: one for each matrix, one for all "
                              "heads, or that of the cells in view when you zoom.",
                              group},
                             &Look::range),
                {{"view", "in view"}}),
        choice<Look>({"reading", "Reading",
                      "Which attention the picture shows: from the token to the others, or from "
                      "the others to the token.",
                      group},
                     &Look::reading),
        toggle<Look>(
            {"overlay", "Attention on the image", "Lays the attention over the picture.", group},
            &Look::overlay),
        toggle<Look>({"borders", "Grid", "Draws the patches' borders on the picture.", group},
                     &Look::grid),
    };
}

LookField foreground_field() {
    FieldOf<Foreground> field = blank<Foreground>(
        {"features_foreground", "Foreground of the features",
         "Colors only the patches whose first principal component, scaled to 0 to 1, is above or "
         "below a bound: \"above:0.6\", \"below:0.4\" or \"all\". A region replaces it.",
         FieldGroup::columns},
        FieldKind::text);
    field.get = [](const Foreground& foreground) {
        return (foreground.above ? "above:" : "below:") + number_text(foreground.bound);
    };
    field.put = [](Foreground& foreground, const std::string& text) {
        const auto said = foreground_from_text(text);
        if (!said)
            refuse_value("features_foreground", "all, above:NUMBER or below:NUMBER, from 0 to 1",
                         text);
        foreground = *said;
    };
    return optional<Look>(field, "all", &Look::features_foreground);
}

// Their controls are in the left column, where they have an effect.
Table left_column_fields() {
    constexpr FieldGroup group = FieldGroup::columns;
    Table fields{
        choice<Look>({"heads_order", "Order of the maps",
                      "The order of the maps of all heads: by layer, in groups that look alike, or "
                      "by a number, the largest first. \"alike\" is the similarity to the chosen "
                      "map, \"change\" the distance from the baseline.",
                      group},
                     Choices(kNames<HeadOrder>.begin(), kNames<HeadOrder>.end()),
                     &Look::heads_order),
        choice<Look>({"heads_filter", "Heads shown",
                      "Which heads are shown: all, or those whose measure, such as entropy, is at "
                      "least, or at most, the bound.",
                      group},
                     &Look::heads_filter),
        choice<Look>(
            {"heads_filter_by", "Shown by", "The measure by which heads are filtered.", group},
            &Look::heads_filter_by),
        number<Look>(
            {"heads_bound", "Bound of the number",
             "The bound of the filter, in the unit of its number: bits, pixels, a fraction of the "
             "attention, a correlation, percent of the probability, or logits.",
             group},
            -1e6, 1e6, &Look::heads_bound),
        optional<Look>(number<int>({"heads_class", "Class in question",
                                    "The number of the class for importance, contributions and "
                                    "patching, counted from 0; \"answer\" is the predicted class.",
                                    group},
                                   0, kMostClass, std::identity()),
                       "answer", &Look::heads_class),
        with_slider(
            number<Look>(
                {"heads_alike", "Correlation of a group",
                 "Two groups of maps are merged if their average correlation is at least this.",
                 group},
                -1, 1, &Look::heads_alike),
            false),
        with_slider(number<Look>({"heads_mass", "Mass of the maps, %",
                                  "Shows the smallest set of patches that holds this percentage of "
                                  "the attention to patches; 100 shows all.",
                                  group},
                                 1, 100, &Look::heads_mass),
                    false),
        choice<Look>({"heads_combined", "Maps combined",
                      "Adds maps that combine the heads of each layer, each head over all layers, "
                      "and all heads of all layers. \"hues\": one picture for each layer, in which "
                      "a patch has the hue of the head that attends to it most.",
                      group},
                     &Look::heads_combined),
        optional<Look>(
            choice<MapMethod>({"heads_class_map", "Class map",
                               "Adds a map of what the class in question depends on, from its "
                               "gradient. A model without classes uses its pooled output.",
                               group},
                              std::identity()),
            "none", &Look::heads_class_map),
        toggle<Look>({"heads_curves", "Deletion and insertion",
                      "Tests the class map: shows the probability of the class while patches are "
                      "hidden or shown in its order, beside other orders. A hidden patch has the "
                      "model's mean color.",
                      group},
                     &Look::heads_curves),
        toggle<Look>({"heads_smooth", "Smooth maps",
                      "Interpolates the numbers of maps bilinearly between the centers of patches. "
                      "Off: each patch is one square. Maps in hues are always squares.",
                      group},
                     &Look::heads_smooth),
        toggle<Look>({"heads_contours", "Contours",
                      "Draws lines of equal attention over the maps, at round numbers of their "
                      "scale. Maps in hues have none.",
                      group},
                     &Look::heads_contours),
        choice<Look>({"heads_patched", "Patched",
                      "What patching takes from the baseline: the output of a head, a token after "
                      "a layer, or the output of a layer.",
                      group},
                     &Look::heads_patched),
        choice<Look>({"heads_side", "Beside a head's numbers",
                      "The card beside the numbers. It shows the mean distance of each head, the "
                      "attention by distance (rings), or how large each layer's output is "
                      "compared with the residual stream (branches).",
                      group},
                     &Look::heads_side),
        labeled(choice<Look>({"features", "Features of the patches",
                              "What the features panel shows for every patch after every layer: "
                              "principal components as colors, norms, the predicted class "
                              "(answers), similarity to the query, or matches with the baseline's "
                              "picture. \"nearest\" shows the most similar images of a folder.",
                              group},
                             &Look::features),
                {{"pca", "colors (PCA)"}, {"likeness", "like the query"}}),
        foreground_field(),
        text<Look>({"nearest_folder", "Nearest: folder",
                    "The folder in which the features panel searches for the images or patches "
                    "that are most similar to this picture.",
                    group},
                   FieldKind::folder, &Look::nearest_folder),
        choice<Look>({"nearest_by", "Nearest: compare",
                      "What the search in a folder compares with this picture: whole images, or "
                      "the patches of each image with one patch of this picture.",
                      group},
                     &Look::nearest_by),
        toggle<Look>({"nearest_end", "Nearest: at the model's end",
                      "Compares features at the end of the model, as headlight nearest does, "
                      "instead of those after the layer in view.",
                      group},
                     &Look::nearest_end),
        toggle<Look>({"folder_shown", "Images of the folder",
                      "Shows the images of the picture's folder in a row below the maps of all "
                      "heads.",
                      group},
                     &Look::folder_shown),
        toggle<Look>(
            {"folder_measured", "Folder measured",
             "Runs the model on every image in the folder, and compares this image with them.",
             group},
            &Look::folder_measured),
        toggle<Look>({"rollout_shown", "Rollout on the image",
                      "Lays the rollout over the picture instead of one layer's attention.", group},
                     &Look::rollout_shown),
        toggle<Look>(
            {"all_layers", "Heads of all layers",
             "Shows one number for every head of the model instead of this layer's heads.", group},
            &Look::all_layers),
        choice<Look>({"head_number", "Number of a head",
                      "The number shown for every head of the model.", group},
                     Choices(names_of<HeadMeasure>().begin(),
                             names_of<HeadMeasure>().begin() + kRunMeasures),
                     &Look::head_number),
    };
    for (LookField& field : fields) field.applies_to = AppliesTo::whole_model;
    return fields;
}

// Ranges of layers or heads.
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

template <class Place>
LookField methods(const Words& words, Place place) {
    LookField field = blank<Look>(words, FieldKind::text);
    field.get = [place](const Look& look) { return names_of(std::invoke(place, look)); };
    field.put = [place, name = std::string(words.name)](Look& look, const std::string& said) {
        std::invoke(place, look) =
            said.empty() ? std::vector<MapMethod>() : map_methods_named(name, said);
    };
    return field;
}

// Which maps a figure shows, and how; its panel has their controls.
Table figure_fields() {
    constexpr FieldGroup group = FieldGroup::columns;
    return {
        methods(
            {"figure_methods", "Class maps",
             "Draws class maps in a figure instead of the heads' maps: a list such as "
             "relevance,grad_cam. A method that depends on layers and heads uses the chosen ones.",
             group},
            [](auto& l) -> auto& { return l.figure.methods; }),
        ranges(
            {"figure_layers", "Layers", "The layers of a figure: all, or numbers such as 1,9-12.",
             group},
            [](auto& l) -> auto& { return l.figure.layers; }),
        ranges(
            {"figure_heads", "Heads", "The heads of a figure: all, or numbers such as 1,9-12.",
             group},
            [](auto& l) -> auto& { return l.figure.heads; }),
        labeled(choice<Look>(
                    {"figure_queries", "Several queries",
                     "How a figure shows several queries: in one map, each in its own hue, or each "
                     "in its own rows.",
                     group},
                    [](auto& l) -> auto& { return l.figure.queries; }),
                {{"hues", "in hues"}, {"rows", "in rows"}}),
        labeled(
            choice<Look>(
                {"figure_combine", "Heads together",
                 "How a figure combines the heads: each in its own map, or one map for each layer.",
                 group},
                [](auto& l) -> auto& { return l.figure.combine; }),
            {{"nothing", "each by itself"},
             {"max", "largest"},
             {"min", "smallest"},
             {"hues", "in hues"}}),
        number<Look>(
            {"figure_mass", "Outlined mass, %",
             "Outlines the smallest set of patches that holds this percentage of the attention to "
             "patches. 100: no outline.",
             group},
            1, 100, [](auto& l) -> auto& { return l.figure.mass; }),
        labeled(
            choice<Look>(
                {"figure_picture", "Picture",
                 "What is below the maps of a figure: the picture in color, in gray, or nothing.",
                 group},
                [](auto& l) -> auto& { return l.figure.picture; }),
            {{"color", "color"}, {"grey", "gray"}}),
        optional<Look>(
            number<float>(
                {"figure_opacity", "Opacity, 0 to 1",
                 "The opacity of a figure's maps over the picture. At 1 their colors match the "
                 "color bar. \"usual\": 0.65, 0.75 in hues, and 1 without a picture.",
                 group},
                0, 1, std::identity()),
            "usual", [](auto& l) -> auto& { return l.figure.opacity; }),
        number<Look>(
            {"figure_columns", "Columns",
             "The number of maps side by side in a figure. 0: as many as a layer has heads.",
             group},
            0, kMostColumns, [](auto& l) -> auto& { return l.figure.columns; }),
        number<Look>(
            {"figure_tile", "Size of a map", "The longer side of a map in a figure, in units.",
             group},
            kLeastTile, kMostTile, [](auto& l) -> auto& { return l.figure.tile; }),
        labeled(
            choice<Look>(
                {"figure_caption", "Caption",
                 "What the caption of a figure says: how it was made, your own words, or nothing.",
                 group},
                [](auto& l) -> auto& { return l.figure.caption; }),
            {{"made", "how it was made"}, {"own", "own words"}}),
        text<Look>(
            {"figure_words", "Words", "Your own words for the caption of a figure.", group},
            FieldKind::text, [](auto& l) -> auto& { return l.figure.words; }),
        choice<Look>(
            {"figure_theme", "Theme", "Dark or light colors for a figure.", group},
            [](auto& l) -> auto& { return l.figure.theme; }),
        labeled(choice<Look>(
                    {"figure_ground", "Background",
                     "The background of a figure: the theme's, white, or transparent.", group},
                    [](auto& l) -> auto& { return l.figure.ground; }),
                {{"theme", "of the theme"}}),
        number<Look>(
            {"figure_resolution", "PNG, pixels per unit",
             "The resolution of a PNG: pixels per unit of length in the figure.", group},
            1, kMostResolution, [](auto& l) -> auto& { return l.figure.resolution; }),
        number<Look>(
            {"figure_width_cm", "Printed width, cm",
             "The printed width of a figure, to which everything is scaled. A PNG then has 300 "
             "pixels per inch. 0: 1/96 inch per unit.",
             group},
            0, kMostWidthCm, [](auto& l) -> auto& { return l.figure.width_cm; }),
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
            {names[i][0], names[i][1], "Opens or closes this part of the right column of Walk.",
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
         "How patches or words are reordered, such as \"mirrored + shifted 0 1 + seed 3 of 12 + "
         "exchanged 3-17\". \"none\", or these parts, each at most once and in this order.",
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

// Both matrices of the attention that learns.
LookField toy_weights_field() {
    LookField field = blank<Look>(
        {"toy_weights", "Weights of the toy",
         "The initial W_Q and W_K of the attention in the plane: eight numbers, row by row.",
         FieldGroup::columns},
        FieldKind::text);
    field.get = [](const Look& look) { return to_text(look.toy_weights); };
    field.put = [](Look& look, const std::string& text) {
        try {
            look.toy_weights = toy_weights_from(text);
        } catch (const std::invalid_argument& expected) {
            refuse_value("toy_weights", expected.what(), text);
        }
    };
    return field;
}

// "next", or the index of each point's target, from 0.
LookField toy_targets_field() {
    LookField field = blank<Look>(
        {"toy_targets", "Targets of the toy",
         "Which point each point learns to attend to: \"next\", or a list of numbers from 0.",
         FieldGroup::columns},
        FieldKind::text);
    field.get = [](const Look& look) { return toy_targets_text(look.toy_targets); };
    field.put = [](Look& look, const std::string& text) {
        try {
            look.toy_targets = toy_targets_from(text);
        } catch (const std::invalid_argument& expected) {
            refuse_value("toy_targets", expected.what(), text);
        }
    };
    return field;
}

// Part of the order. Older sessions and lessons set it separately; now the order includes it.
LookField shuffle_seed() {
    LookField field = number<Look>(
        {"shuffle_seed", "Shuffled order", "The seed for shuffling the patches; 0: not shuffled.",
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

// Leaving lecture view also turns off what belongs to it.
LookField lecture_field() {
    LookField field = toggle<Look>(
        {"lecture", "Lecture view", "Large type that the last row can read.", FieldGroup::look},
        &Look::lecture);
    field.put = [put = field.put](Look& look, const std::string& text) {
        put(look, text);
        if (!look.lecture)
            look.pointer_light = look.pointer_dot = look.pen = look.improvise = false;
    };
    return field;
}

Table window_fields() {
    constexpr FieldGroup group = FieldGroup::look;
    return {
        choice<Look>({"screen", "Screen", "Which screen is shown.", FieldGroup::columns},
                     &Look::screen),
        toggle<Look>({"position_kinds", "Kinds of positions",
                      "On Positions, shows all kinds that you can choose, and their settings.",
                      FieldGroup::columns},
                     &Look::position_kinds),
        choice<Look>({"position_page", "Page of Positions",
                      "Shows the table of positions, its properties, or the order of the patches.",
                      FieldGroup::columns},
                     &Look::position_page),
        number<Look>(
            {"position_channel", "Channel",
             "Which channel of the positions is shown over the picture.", FieldGroup::columns},
            0, 9999, &Look::position_channel),
        waves_off(
            {"fast_waves_off", "Fast waves off, %",
             "The percentage of waves, from the fastest down, to leave out wherever the table "
             "is shown.",
             FieldGroup::columns},
            "fast off", &Look::fast_waves_off),
        waves_off(
            {"slow_waves_off", "Slow waves off, %",
             "The percentage of waves, from the slowest up, to leave out wherever the table is "
             "shown.",
             FieldGroup::columns},
            "slow off", &Look::slow_waves_off),
        choice<Look>(
            {"position_plot", "Plot of the positions",
             "What the plot shows: how well places can be recovered after each layer, how the "
             "table relates to the embeddings, or which waves distinguish two patches.",
             FieldGroup::columns},
            &Look::position_plot),
        number<Look>(
            {"readout_scenes", "Scenes for the fit",
             "The number of random scenes that the linear map is fitted to. It is tested on "
             "other scenes, half that number. 0: uses only the current picture, leaving "
             "out one patch at a time.",
             FieldGroup::columns},
            0, kMostReadScenes, &Look::readout_scenes),
        choice<Look>({"pair_measure", "All pairs by",
                      "How two rows of the table are compared: by their cosine, their dot product, "
                      "or their distance.",
                      FieldGroup::columns},
                     &Look::pair_measure),
        choice<Look>({"position_way", "Kind of positions shown",
                      "Which kind is shown for a model with several: the table that is added, the "
                      "rotation of queries and keys, or the bias of the scores.",
                      FieldGroup::columns},
                     &Look::position_way),
        choice<Look>({"position_card", "Card about positions",
                      "The card about the table: its properties, or the rotation of each pair of "
                      "channels from one patch to another.",
                      FieldGroup::columns},
                     &Look::position_card),
        number<Look>(
            {"offset_right", "Columns right",
             "The offset of the rotation M(k), in columns to the right; below 0, to the left.",
             FieldGroup::columns},
            -kMostOffset, kMostOffset, &Look::offset_right),
        number<Look>(
            {"offset_down", "Rows down",
             "The offset of the rotation M(k), in rows down; below 0, up.", FieldGroup::columns},
            -kMostOffset, kMostOffset, &Look::offset_down),
        shuffle_seed(),
        order_field(),
        optional<Look>(number<int>({"other_position", "Other position",
                                    "The patch or word to compare with the one in focus, counted "
                                    "from 0. \"none\": its neighbor.",
                                    FieldGroup::columns},
                                   0, 999999, std::identity()),
                       "none", &Look::other_position),
        with_slider(
            number<Look>({"zoom", "Zoom", "Size of the interface.", group}, 0.5, 3, &Look::zoom),
            false),
        lecture_field(),
        toggle<Look>({"pointer_light", "Pointer as a spotlight",
                      "In lecture view, dims everything far from the pointer.", group},
                     &Look::pointer_light),
        toggle<Look>(
            {"pointer_dot", "Pointer as a red dot",
             "In lecture view, shows the pointer as a large red dot.", FieldGroup::columns},
            &Look::pointer_dot),
        toggle<Look>({"pen", "Pen", "In lecture view, draws over the screen with the mouse.",
                      FieldGroup::columns},
                     &Look::pen),
        toggle<Look>({"improvise", "Improvise",
                      "In lecture view, shows controls for experiments below the screen.",
                      FieldGroup::columns},
                     &Look::improvise),
        toggle<Look>(
            {"notes", "Speaker's notes",
             "Shows the author's notes for the speaker below the text of a lesson.", group},
            &Look::notes),
        toggle<Look>({"widget_names", "Names of widgets",
                      "Shows the name of what is under the pointer, as a lesson's spotlight and a "
                      "script write it.",
                      group},
                     &Look::widget_names),
        toggle<Look>({"motion", "Motion", "Shows how a product is computed, cell by cell.", group},
                     &Look::motion),
        toggle<Look>(
            {"follow_cell", "Follow one cell",
             "Follows one number from a pixel to the prediction, with a sentence at each step.",
             group},
            &Look::follow_cell),
        toggle<Look>(
            {"moving_operands", "Moving operands",
             "Moves operands from where they were to where the next step uses them.", group},
            &Look::moving_operands),
        with_slider(
            number<Look>({"speed", "Speed", "The speed of the motion and of playing.", group}, 0.1,
                         8, &Look::speed),
            true),
        choice<Look>({"scores_view", "Scores",
                      "What a single layer shows at its scores: its own scores, those of all score "
                      "functions, or why they are divided by √d.",
                      FieldGroup::columns},
                     &Look::scores_view),
        toggle<Look>({"gradient", "Gradient",
                      "Shows, next to each step's values in Walk, the gradient of one number y of "
                      "the output.",
                      FieldGroup::columns},
                     &Look::gradient),
        labeled(choice<Look>({"gradient_of", "Gradient of",
                              "What y is: the logit of the class in question, the sum of the "
                              "output, or its cosine with the baseline's.",
                              FieldGroup::columns},
                             &Look::gradient_of),
                {{"answer", "the class's logit"},
                 {"sum", "the sum of the output"},
                 {"baseline", "cosine with the baseline"}}),
        toggle<Look>({"softmax_bench", "Softmax bench",
                      "Shows one row of scores at the softmax, with bars to drag and a temperature "
                      "of its own.",
                      FieldGroup::columns},
                     &Look::softmax_bench),
        with_slider(number<Look>({"bench_temperature", "Temperature of the bench",
                                  "Divides the scores of the softmax bench's row. The model keeps "
                                  "its own temperature.",
                                  FieldGroup::columns},
                                 0.05, 20, &Look::bench_temperature),
                    true),
        choice<Look>({"stage_view", "View of the step",
                      "What a step of Walk shows: its usual view, all heads side by side, each "
                      "channel as a map, or other fill values for masks. Other views compare the "
                      "time of one large product with that of three, or show a PyTorch module, "
                      "recurrent networks, attention that learns, a cloud of points, or a "
                      "schematic.",
                      FieldGroup::columns},
                     &Look::stage_view),
        with_slider(
            number<Look>({"recurrent_gain", "Gain of the RNN",
                          "The factor by which each step of the recurrent network multiplies its "
                          "memory, before tanh. Below 1 the gradient vanishes.",
                          FieldGroup::columns},
                         0.1, 3, &Look::recurrent_gain),
            true),
        toy_weights_field(),
        toy_targets_field(),
        number<Look>({"toy_steps", "Gradient steps of the toy",
                      "How many gradient steps the attention in the plane has been trained for.",
                      FieldGroup::columns},
                     0, kMostToySteps, &Look::toy_steps),
        number<Look>({"cards_step", "Training step of the heads",
                      "The training step at which networks with one, two and four heads are shown.",
                      FieldGroup::columns},
                     0, kCardSteps, &Look::cards_step),
        toggle<Look>(
            {"heads_tools", "Tools of Heads",
             "Shows all choices above the maps of all heads, and the buttons that save the maps.",
             FieldGroup::columns},
            &Look::heads_tools),
        toggle<Look>({"heads_large", "Large heads",
                      "Shows the heads larger, instead of the picture.", FieldGroup::columns},
                     &Look::heads_large),
        column_width("left_width", "Left column", "Width of the left column.", &Look::left_width),
        column_width("right_width", "Right column", "Width of the right column.",
                     &Look::right_width),
    };
}

// Adapts the field of a part of the state to the whole state.
template <class Part>
Field state_field(const FieldOf<Part>& of_part, Part State::*part) {
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
        table.push_back(state_field(field, &State::recipe));
    for (const LookField& field : look_fields()) table.push_back(state_field(field, &State::look));
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
    // In the field's own format: "1010", not "1.01e+03", which would be set again in every frame.
    return whole ? text.data() : number_text(std::strtof(text.data(), nullptr));
}

std::string* file_named(Command& command) {
    if (command.args.empty()) return nullptr;
    const bool opens = command.verb.starts_with("open") || command.verb == "tokens" ||
                       command.verb == "reference" || command.verb == "folder" ||
                       command.verb == "region-mask";
    if (opens) return command.args.data();
    const Field* field = command.verb == "set" ? find_field(command.args[0]) : nullptr;
    const bool is_file = field != nullptr && is_path(field->kind);
    return is_file && command.args.size() > 1 ? &command.args[1] : nullptr;
}

}  // namespace headlight

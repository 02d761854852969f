#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/foreground.h"
#include "analysis/head_measures.h"
#include "analysis/toy_attention.h"
#include "analysis/why_heads.h"
#include "kernels/names.h"
#include "patches/patch_order.h"
#include "patches/region.h"
#include "program/recipe.h"
#include "state/figure_look.h"
#include "state/screens.h"
#include "trace/same_place.h"
#include "trace/steps.h"
#include "trace/tensors.h"

// Everything that the user chose, as plain data, without hover state.
namespace headlight {

enum class Reading { from, by };  // from: what a token attends to; by: what attends to it
template <>
inline constexpr auto kNames<Reading> = std::to_array<std::string_view>({"from", "by"});
enum class Compare { before, after, difference };  // before: the baseline; after: the result now
template <>
inline constexpr auto kNames<Compare> = std::to_array<std::string_view>({"before", "after",
                                                                         "difference"});
// Color range: of each matrix alone, one for all heads, or of the visible part of a zoomed matrix.
enum class RangeMode { own, shared, view };
template <>
inline constexpr auto kNames<RangeMode> = std::to_array<std::string_view>({"own", "shared",
                                                                           "view"});
// How attention weights map to colors. `even`: A·N, so that 1 means uniform attention.
enum class AttentionScale { linear, square_root, logarithm, even };
template <>
inline constexpr auto kNames<AttentionScale> =
    std::to_array<std::string_view>({"linear", "square_root", "logarithm", "even"});
inline constexpr double kMostCut = 20;        // percent
inline constexpr int kMostClass = 9'999'999;  // largest class number

// What the scores step of a single attention layer shows: its scores, those of all score functions,
// or why scores are divided by √d.
enum class ScoresView { present, all, widths };
template <>
inline constexpr auto kNames<ScoresView> = std::to_array<std::string_view>({"present", "all",
                                                                            "widths"});

// Alternative views of a step in Walk: all heads side by side, each channel of the result as a map
// of the token grid, the mask with other numbers than −∞, the time of one stacked product and of
// three, the layer as a PyTorch module, what recurrent networks remember of the tokens, attention
// that learns its weights, the tokens as a point cloud, or a schematic of the model. One, two and
// four heads can also learn one task side by side. A step without the chosen view shows its usual
// one.
enum class StageView {
    usual,
    heads,
    maps,
    fills,
    timing,
    listing,
    recurrent,
    learning,
    cloud,
    schematic,
    why_heads
};
template <>
inline constexpr auto kNames<StageView> =
    std::to_array<std::string_view>({"usual", "heads", "maps", "fills", "timing", "listing",
                                     "recurrent", "learning", "cloud", "schematic", "why_heads"});

// The plot beside the profile of the positions: how well positions can be predicted from the
// residual stream after each layer, how the added table relates to the token embeddings, or which
// waves tell two positions apart.
enum class PositionPlot { readout, added, apart };
template <>
inline constexpr auto kNames<PositionPlot> = std::to_array<std::string_view>({"readout", "added",
                                                                              "apart"});

// The function y whose gradients Walk shows.
enum class GradientOf {
    answer,    // logit of the class in question; without classes as `sum`
    sum,       // sum of the output row that the model gives for the picture
    baseline,  // cosine of that row with the baseline's
};
template <>
inline constexpr auto kNames<GradientOf> = std::to_array<std::string_view>({"answer", "sum",
                                                                            "baseline"});

// How two rows of a position embedding are compared.
enum class PairMeasure { cosine, product, distance };
template <>
inline constexpr auto kNames<PairMeasure> = std::to_array<std::string_view>({"cosine", "product",
                                                                             "distance"});
// How tokens get position information; a model may use several ways.
enum class PositionWay { added, turned, bias };
template <>
inline constexpr auto kNames<PositionWay> = std::to_array<std::string_view>({"added", "turned",
                                                                             "bias"});
// What the card about the table shows: its claimed properties, or the rotation of each channel pair
// from one patch to another.
enum class PositionCard { properties, rotation };
template <>
inline constexpr auto kNames<PositionCard> = std::to_array<std::string_view>({"properties",
                                                                              "rotation"});
// The pages of the Positions screen: the table and its effect on each patch, its properties, or the
// same patches in another order.
enum class PositionPage { table, properties, order };
template <>
inline constexpr auto kNames<PositionPage> = std::to_array<std::string_view>({"table", "properties",
                                                                              "order"});
inline constexpr int kMostOffset = 255;  // largest offset k for M(k), in rows or columns

inline constexpr int kMostReadScenes = 512;  // largest number of scenes for the linear probe

// The order of the maps of all heads: as in the model, in groups that look alike, or by a measure,
// largest first. The enumerators after `groups` are the measures, in their order.
enum class HeadOrder : std::uint8_t { layer, groups };
inline constexpr std::size_t kFirstMeasure = static_cast<std::size_t>(HeadOrder::groups) + 1;
template <>
inline constexpr auto kNames<HeadOrder> = [] {
    std::array<std::string_view, kFirstMeasure + kHeadMeasures> names{"layer", "groups"};
    std::ranges::copy(names_of<HeadMeasure>(), names.begin() + kFirstMeasure);
    return names;
}();
constexpr HeadOrder order_by(HeadMeasure measure) {
    return static_cast<HeadOrder>(kFirstMeasure + static_cast<std::size_t>(measure));
}
constexpr std::optional<HeadMeasure> measure_of(HeadOrder order) {
    const auto at = static_cast<std::size_t>(order);
    if (at < kFirstMeasure) return std::nullopt;
    return static_cast<HeadMeasure>(at - kFirstMeasure);
}
// Which heads are shown: all, or those with a measure of at least or at most a bound.
enum class HeadFilter : std::uint8_t { all, least, most };
template <>
inline constexpr auto kNames<HeadFilter> = std::to_array<std::string_view>({"all", "least",
                                                                            "most"});
// What is patched in from the baseline when maps are ordered by patching: a head's output, a token
// of the residual stream after a layer, or the outputs of a layer's branches.
enum class Patched : std::uint8_t { heads, tokens, layers };
template <>
inline constexpr auto kNames<Patched> = std::to_array<std::string_view>({"heads", "tokens",
                                                                         "layers"});
// The plot beside a head's numbers: the attention distance of every layer, the head's attention by
// distance from the query, or the size of what each layer adds relative to the residual stream.
enum class HeadsSide : std::uint8_t { distance, rings, branches };
template <>
inline constexpr auto kNames<HeadsSide> = std::to_array<std::string_view>({"distance", "rings",
                                                                           "branches"});
// What the features panel shows for every patch after every layer: its principal components as
// colors, the norm of its token, its predicted class (logit lens), its cosine with the query, or
// matching patches of the baseline's picture. Or which pictures of a folder are the most similar.
enum class FeatureView : std::uint8_t { pca, norms, answers, likeness, matches, nearest };
template <>
inline constexpr auto kNames<FeatureView> =
    std::to_array<std::string_view>({"pca", "norms", "answers", "likeness", "matches", "nearest"});
// What the search in a folder compares: whole images, or a patch with all patches.
enum class NearestBy : std::uint8_t { images, patches };
template <>
inline constexpr auto kNames<NearestBy> = std::to_array<std::string_view>({"images", "patches"});
// The parts of the right column that fold, from top to bottom; scores to layer are parts of the
// experiment.
enum class Section {
    code,
    prediction,
    signal,
    experiment,
    scores,
    mask,
    positions,
    layer,
    rollout,
    numbers,
    reference,
    patches,
    image,
    model,
    look
};
template <>
inline constexpr auto kNames<Section> = std::to_array<std::string_view>(
    {"code", "prediction", "signal", "experiment", "scores", "mask", "positions", "layer",
     "rollout", "numbers", "reference", "patches", "image", "model", "look"});
inline constexpr std::size_t kSectionCount = names_of<Section>().size();
// How the user left a section; "usual" folds it as the window's size requires.
enum class Fold { usual, open, folded };
template <>
inline constexpr auto kNames<Fold> = std::to_array<std::string_view>({"usual", "open", "folded"});

// The tokens that the numbers of a selection refer to: in another grid, the same positions have
// other numbers. It only interprets the selection and is not a choice of its own.
struct NumberedTokens {
    std::optional<TokenPlaces> places;  // unknown before the first result

    friend bool operator==(const NumberedTokens&, const NumberedTokens&) { return true; }
};

struct Selection {
    Step step = Step::image;
    int head = 0;              // whose matrices Walk shows
    bool head_pinned = true;   // false: the image shows the mean over all heads
    bool solo = false;         // the heads panel shows this head alone, large
    std::optional<int> shape;  // of the scene, from 0 in drawing order
    std::optional<int> token;  // selected row: a token, as query
    // False for the token selected automatically at the start.
    bool token_chosen = true;
    std::optional<int> key;  // in cross-attention: a selected key token
    std::optional<int> col;  // selected column in that row, and what it counts
    Axis col_axis = Axis::key_token;
    // More query tokens besides `token`, where all heads are shown, in the order of their hues.
    // They are distinct and differ from `token`; empty where there is no `token`.
    std::vector<int> also{};
    NumberedTokens numbered{};
    // The screen from which Walk was opened by clicking a head's map; Escape returns there.
    std::optional<ScreenId> opened_from{};

    friend bool operator==(const Selection&, const Selection&) = default;
};

struct Look {
    ScreenId screen = ScreenId::walk;
    Theme theme = Theme::dark;
    float zoom = 1.0F;  // of the interface, multiplied with the monitor's scale
    bool lecture = false;
    Theme lecture_theme = Theme::light;  // replaces `theme` in lecture view
    bool pointer_light = false;          // dims everything except around the pointer
    bool pointer_dot = false;            // shows the pointer as a large red dot
    bool pen = false;                    // the mouse draws over the screen
    bool improvise = false;              // controls for experiments below the screen
    bool notes = false;                  // shows the lesson author's speaker notes
    bool widget_names = false;           // shows the name of the widget under the pointer
    bool folder_shown = false;           // the images of the picture's folder on Heads
    std::string signed_map = "blue-white-red";
    std::string attention_map = "magma";
    AttentionScale attention_scale = AttentionScale::even;
    float attention_cut = 0;  // percent of cells, the largest ones, that are clipped and marked
    RangeMode range = RangeMode::shared;
    Reading reading = Reading::from;
    Compare compare = Compare::after;
    bool overlay = true;         // attention on the image
    bool rollout_shown = false;  // shows rollout instead of one layer's attention, where available
    bool all_layers = false;     // the heads panel shows numbers of all heads of the model
    Patched heads_patched = Patched::heads;
    HeadMeasure head_number = HeadMeasure::entropy;  // the measure shown
    HeadOrder heads_order = HeadOrder::layer;
    HeadFilter heads_filter = HeadFilter::all;
    HeadMeasure heads_filter_by = HeadMeasure::entropy;
    float heads_bound = 0;  // in the unit in which the measure is shown
    // The class for a head's importance, contribution or patching; empty: the predicted class.
    std::optional<int> heads_class;
    // Groups of maps merge if their mean correlation is at least this.
    float heads_alike = 0.5F;
    // Shows the smallest set of patches that holds this percentage of the attention on patches;
    // 100: all.
    float heads_mass = 100;
    Combined heads_combined = Combined::nothing;
    std::optional<MapMethod> heads_class_map;  // shown beside the maps of the heads
    bool heads_curves = false;                 // tests the class map by deletion and insertion
    bool heads_smooth = false;    // interpolates between patch centers; else one color per cell
    bool heads_contours = false;  // draws lines of equal attention over them
    HeadsSide heads_side = HeadsSide::distance;
    bool heads_tools = false;  // the drawer of Heads is open
    FeatureView features = FeatureView::pca;
    // The patches that get colors, unless there is a region; empty: all.
    std::optional<Foreground> features_foreground;
    std::string nearest_folder;  // searched for the nearest images; empty: none chosen yet
    NearestBy nearest_by = NearestBy::images;
    bool nearest_end = false;  // compares at the model's end; else after the layer in view
    FigureLook figure;
    PositionPage position_page = PositionPage::table;
    bool position_kinds = false;  // the drawer of the kinds of positions is open
    int position_channel = 0;
    // Percent of a table's waves to leave out, from the fastest and from the slowest.
    float fast_waves_off = 0, slow_waves_off = 0;
    PositionPlot position_plot = PositionPlot::readout;
    int readout_scenes = 0;  // scenes for the linear probe; 0: the current picture alone
    PairMeasure pair_measure = PairMeasure::cosine;
    PositionWay position_way = PositionWay::added;  // one of those that the model uses
    PositionCard position_card = PositionCard::properties;
    // The offset k, in columns and rows, for which the rotation M(k) of the channel pairs is shown.
    int offset_right = 1, offset_down = 0;
    PatchOrder order{};  // of the patches
    // The patch or word that the selected one is compared with; empty: its neighbor.
    std::optional<int> other_position;
    ScoresView scores_view = ScoresView::present;
    bool gradient = false;  // shows gradients beside each step's values
    GradientOf gradient_of = GradientOf::answer;
    bool softmax_bench = false;   // the softmax step shows one row to experiment with
    float bench_temperature = 1;  // for that row alone
    StageView stage_view = StageView::usual;
    float recurrent_gain = 0.9F;  // of the recurrent network that attention is compared with
    // The 2-D attention that learns: its initial weights, the point that each point should attend
    // to (empty: the next one), and the number of gradient steps taken.
    ToyWeights toy_weights = kToyStart;
    std::vector<int> toy_targets{};
    int toy_steps = 0;
    int cards_step = kCardSteps;  // training step shown for one, two and four heads
    bool heads_large = false;     // the heads panel uses the picture's space too
    bool grid = true;
    bool motion = true;
    bool follow_cell = false;      // Walk explains one cell in a sentence at each step
    bool moving_operands = true;   // animates the operands from one step to the next
    bool folder_measured = false;  // runs every image of that folder to measure it
    float speed = 1.0F;
    float left_width = 316.0F, right_width = 330.0F;  // of the side columns, before scaling
    std::array<Fold, kSectionCount> folds{};

    // Whether the drawer of all settings in Walk is open; closed by default.
    [[nodiscard]] bool experiment_open() const { return is_drawn_out(Section::experiment); }
    // Whether the drawer of measurements is open.
    [[nodiscard]] bool numbers_open() const { return is_drawn_out(Section::numbers); }
    [[nodiscard]] bool is_drawn_out(Section drawer) const {
        return folds[static_cast<std::size_t>(drawer)] == Fold::open;
    }

    friend bool operator==(const Look&, const Look&) = default;
};

// The result of a question or a task in a lesson.
enum class LessonResult { first_try, second_try, missed, done };  // done: a task
template <>
inline constexpr auto kNames<LessonResult> =
    std::to_array<std::string_view>({"first_try", "second_try", "missed", "done"});
struct LessonMark {
    int stop = 0;    // from 0
    int number = 1;  // from 1, among the questions or the tasks of the stop
    LessonResult result = LessonResult::missed;

    friend bool operator==(const LessonMark&, const LessonMark&) = default;
};

// The user's progress in a lesson; stops are counted from 0.
struct LessonPlace {
    std::string file;
    int stop = 0, furthest = 0;
    std::vector<LessonMark> marks = {};

    friend bool operator==(const LessonPlace&, const LessonPlace&) = default;
};

struct State {
    Recipe recipe;
    std::optional<Recipe> pinned;  // the baseline's experiment
    // The last experiment on a picture, to return to from given tokens.
    std::optional<Recipe> on_picture;
    std::string reference;  // file to compare the walk with; empty: none
    Selection selection;
    Region region;  // of the picture: sums the attention within it; empty: none
    Look look;
    std::vector<std::string> recent;         // images, newest first
    std::vector<std::string> recent_models;  // checkpoints, newest first
    std::vector<std::string> recent_tokens;  // files of tokens, newest first
    std::vector<LessonPlace> lessons;        // started lessons, newest first

    friend bool operator==(const State&, const State&) = default;
};

// Equality without the lists of recent files, which undo does not change.
bool same_choices(const State& a, const State& b);

// Whether there is an input: given tokens, a scene or an image file.
bool has_input(const Recipe& recipe);

// The kind of input if it is no image file: "scene", "vectors", "words", "tokens" (from a file),
// "signal"; else empty.
std::string_view input_name(const Recipe& recipe);

// A new experiment on given tokens: without weights and positions if no model is open. If `recipe`
// has the same kind of tokens, continues it.
Recipe with_tokens(const Recipe& recipe, TokenSource tokens);
// The experiment on a picture that was left for given tokens; otherwise the current one.
Recipe picture_again(const State& state);
// Returns to an experiment on a picture and deselects the given tokens.
void leave_tokens(State& state, Recipe on_picture);

// `look` with the user's own settings from `own`: theme, sizes, colors, motion. A new field of this
// kind must be added here.
Look with_own(Look look, const Look& own);

// Moves an opened file to the front of a list of recent files.
void remember(std::vector<std::string>& recent, const std::string& file);
inline constexpr std::size_t kMaxRecent = 12;
void remember(std::vector<LessonPlace>& lessons, const std::string& file, int stop);
inline constexpr std::size_t kMaxLessons = 40;
// Keeps the first result of a question. Ignores lessons that are not in the list.
void remember(std::vector<LessonPlace>& lessons, const std::string& file, const LessonMark& mark);
inline constexpr std::size_t kMaxMarks = 500;

// The recipe with only the picture, scene or tokens taken from `other`.
Recipe with_input_of(Recipe recipe, const Recipe& other);
// The same input with the model in `file` and default settings: the picture is preprocessed as in
// the model's training. "": a randomly initialized layer from the seed.
Recipe with_model(const Recipe& recipe, const std::string& file);
// If fewer layers are drawn than before, selects the last one instead of a missing one.
void look_at_drawn_layer(Recipe& recipe);

// The same picture, model and selection without any of the user's changes. The badge in the top bar
// compares with it, and its button returns to it.
Recipe as_made(const Recipe& recipe);

// For switching cross-attention on or off, which changes the query tokens: the selection stays on
// the picture, and the first query is selected.
void look_across(Selection& selection);
void look_at_tokens(Selection& selection);

// The default token and cell: the middle of the picture. `prefix`: number of tokens before its
// patches.
Selection first_selection(int patches_across, int patches_down, int prefix = 0);

}  // namespace headlight

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// Everything that the person chose, as plain data. What the mouse happens to hover is not in here.
namespace headlight {

enum class Reading { from, by };  // the row of a token (whom it reads) or its column (who reads it)
template <>
inline constexpr auto kNames<Reading> = std::to_array<std::string_view>({"from", "by"});
enum class Compare { now, before, difference };  // "before" is the result that was kept
template <>
inline constexpr auto kNames<Compare> = std::to_array<std::string_view>({"now", "before",
                                                                         "difference"});
// Color range of each matrix alone, one for all heads, or of what a zoomed matrix shows of itself.
enum class RangeMode { own, shared, view };
template <>
inline constexpr auto kNames<RangeMode> = std::to_array<std::string_view>({"own", "shared",
                                                                           "view"});
// How attention is spread over its colors. Times even: A·N, so that 1 is a look at all alike.
enum class AttentionScale { linear, square_root, logarithm, even };
template <>
inline constexpr auto kNames<AttentionScale> =
    std::to_array<std::string_view>({"linear", "square_root", "logarithm", "even"});
inline constexpr double kMostCut = 20;        // per cent
inline constexpr int kMostClass = 9'999'999;  // number of a class

// What stands where an attention layer by itself makes its scores: these, those of all score
// functions, or why they are divided by √d.
enum class ScoresView { present, all, widths };
template <>
inline constexpr auto kNames<ScoresView> = std::to_array<std::string_view>({"present", "all",
                                                                            "widths"});

// Beside what a step of Walk usually shows: all heads side by side, each channel of the result as a
// map of the token grid, the mask with other numbers than −∞, the time of one stacked product
// against three, the layer as a PyTorch module, what recurrent networks remember of the tokens,
// attention that learns its weights, the tokens as a cloud of points, or a schematic of the model.
// One, two and four heads may also learn one task side by side. A step that lacks the view shows
// its usual one.
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

// What stands beside the profile of the positions: how well places can be read off the stream after
// each layer, how what is added lies to the tokens' own numbers, or which waves tell two positions
// apart.
enum class PositionPlot { readout, added, apart };
template <>
inline constexpr auto kNames<PositionPlot> = std::to_array<std::string_view>({"readout", "added",
                                                                              "apart"});

// What y is, of the gradients that Walk shows.
enum class GradientOf {
    answer,    // the logit of the class in question; of a model without classes as sum
    sum,       // of the row that the model gives of the picture
    baseline,  // the cosine of that row with the baseline's
};
template <>
inline constexpr auto kNames<GradientOf> = std::to_array<std::string_view>({"answer", "sum",
                                                                            "baseline"});

// How two rows of a table of positions are held against each other.
enum class PairMeasure { cosine, product, distance };
template <>
inline constexpr auto kNames<PairMeasure> = std::to_array<std::string_view>({"cosine", "product",
                                                                             "distance"});
// How tokens are told where they are; a model may do several.
enum class PositionWay { added, turned, bias };
template <>
inline constexpr auto kNames<PositionWay> = std::to_array<std::string_view>({"added", "turned",
                                                                             "bias"});
// What is said of the table: the properties that are claimed of it, or the rotation of each pair of
// channels from a patch to another.
enum class PositionCard { properties, rotation };
template <>
inline constexpr auto kNames<PositionCard> = std::to_array<std::string_view>({"properties",
                                                                              "rotation"});
// The parts of the screen of positions: the table and what it tells each patch, what is true of the
// table, or the same patches in another order.
enum class PositionPage { table, properties, order };
template <>
inline constexpr auto kNames<PositionPage> = std::to_array<std::string_view>({"table", "properties",
                                                                              "order"});
inline constexpr int kMostOffset = 255;  // in rows or columns, of which M(k) is shown

inline constexpr int kMostReadScenes = 512;  // that places are read off of

// How the maps of all heads are laid out: as the model has them, in groups that look alike, or by a
// measure, the largest first. The enumerators after `groups` are the measures, in their order.
enum class HeadOrder : std::uint8_t { layer, groups };
inline constexpr std::size_t kFirstMeasure = static_cast<std::size_t>(HeadOrder::groups) + 1;
template <>
inline constexpr auto kNames<HeadOrder> = [] {
    std::array<std::string_view, kFirstMeasure + kHeadMeasures> names{"layer", "groups"};
    std::ranges::copy(kNames<HeadMeasure>, names.begin() + kFirstMeasure);
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
// Which heads the maps are of: all, or those with a number from a bound on, up or down.
enum class HeadFilter : std::uint8_t { all, least, most };
template <>
inline constexpr auto kNames<HeadFilter> = std::to_array<std::string_view>({"all", "least",
                                                                            "most"});
// What is taken from the result that was kept, where the order is by patching: the output of a
// head, a token of the stream after a layer, or what a layer's branches give.
enum class Patched : std::uint8_t { heads, tokens, layers };
template <>
inline constexpr auto kNames<Patched> = std::to_array<std::string_view>({"heads", "tokens",
                                                                         "layers"});
// What stands beside the numbers of a head: how far those of each layer read, how far around a
// patch this one has its attention, or how large what each layer adds is beside the stream.
enum class HeadsSide : std::uint8_t { distance, rings, branches };
template <>
inline constexpr auto kNames<HeadsSide> = std::to_array<std::string_view>({"distance", "rings",
                                                                           "branches"});
// What the panel of features shows of every patch after every layer: its principal components as
// colors, the length of its token, the class that the model would answer there, its cosine with the
// query; or which patches of the baseline's picture match it.
enum class FeatureView : std::uint8_t { pca, norms, answers, likeness, matches };
template <>
inline constexpr auto kNames<FeatureView> =
    std::to_array<std::string_view>({"pca", "norms", "answers", "likeness", "matches"});
// The parts of the right column that can be folded, from top to bottom; scores to layer are parts
// of the experiment.
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
inline constexpr std::size_t kSectionCount = kNames<Section>.size();
// As a person has left it; "usual": as the window has room, until one is asked.
enum class Fold { usual, open, folded };
template <>
inline constexpr auto kNames<Fold> = std::to_array<std::string_view>({"usual", "open", "folded"});

// Whose tokens the numbers of a selection count: in another grid the same places have other
// numbers. It only says what is chosen, and is no choice of its own.
struct NumberedTokens {
    std::optional<TokenPlaces> places;  // unknown until there is a result

    friend bool operator==(const NumberedTokens&, const NumberedTokens&) { return true; }
};

struct Selection {
    Step step = Step::image;
    int head = 0;              // whose matrices the stage shows
    bool head_pinned = true;   // false: the image shows the mean of all heads
    bool solo = false;         // the heads panel shows only this head, large
    std::optional<int> shape;  // of the scene, from 0 in drawing order
    std::optional<int> token;  // pinned row: a token, as query
    // False for the token shown at the start, which is not pinned.
    bool token_chosen = true;
    std::optional<int> key;  // of cross-attention: a pinned token of those that are read
    std::optional<int> col;  // pinned column of the cell in that row, and what it counts
    Axis col_axis = Axis::key_token;
    // Tokens that are asked besides `token` where all heads are shown, in the order of their hues;
    // none of them twice, nor `token`, nor any where there is no `token`.
    std::vector<int> also{};
    NumberedTokens numbered{};
    // Where the walk was opened at a head's map; Escape goes back there.
    std::optional<ScreenId> opened_from{};

    friend bool operator==(const Selection&, const Selection&) = default;
};

struct Look {
    ScreenId screen = ScreenId::walk;
    Theme theme = Theme::dark;
    float zoom = 1.0F;  // of the interface, times the monitor's own scale
    bool lecture = false;
    Theme lecture_theme = Theme::light;  // in lecture view, instead of the other
    bool pointer_light = false;          // all but what the pointer is near is dimmed
    bool pointer_dot = false;            // the pointer is a large red dot
    bool pen = false;                    // the mouse draws over the screen
    bool improvise = false;              // a lecture's controls for experiments are below the screen
    bool notes = false;                  // those of a lesson's author for the speaker are shown
    bool widget_names = false;           // the name of the widget under the pointer is shown
    bool folder_shown = false;           // the images of the picture's folder, in a row on Heads
    std::string signed_map = "blue-white-red";
    std::string attention_map = "magma";
    AttentionScale attention_scale = AttentionScale::even;
    float attention_cut =
        0;  // per cent of the cells, the largest ones, that are clipped and marked
    RangeMode range = RangeMode::shared;
    Reading reading = Reading::from;
    Compare compare = Compare::now;
    bool overlay = true;         // attention on the image
    bool rollout_shown = false;  // instead of one layer's attention, where there is a rollout
    bool all_layers = false;     // the heads panel shows the whole model's heads as numbers
    Patched heads_patched = Patched::heads;
    HeadMeasure head_number = HeadMeasure::entropy;  // which; of every run
    HeadOrder heads_order = HeadOrder::layer;
    HeadFilter heads_filter = HeadFilter::all;
    HeadMeasure heads_filter_by = HeadMeasure::entropy;
    float heads_bound = 0;  // in that measure's unit, as it is shown
    // The class whose number a head's importance, contribution or patching changes; none: the one
    // that the model answers.
    std::optional<int> heads_class;
    // Groups of maps are one where they correlate on average at least so.
    float heads_alike = 0.5F;
    // Of the maps of all heads only the fewest patches are shown that hold so many per cent of what
    // goes to patches; 100: all.
    float heads_mass = 100;
    Combined heads_combined = Combined::nothing;
    std::optional<MapMethod> heads_class_map;  // beside the maps of the heads
    bool heads_smooth = false;    // maps are drawn between the patches' middles; else cell by cell
    bool heads_contours = false;  // lines of equal attention over them
    HeadsSide heads_side = HeadsSide::distance;
    bool heads_tools = false;  // the drawer of Heads is open
    FeatureView features = FeatureView::pca;
    FigureLook figure;
    PositionPage position_page = PositionPage::table;
    bool position_kinds = false;  // the drawer of the kinds of positions is open
    int position_channel = 0;
    // Per cent of a table's waves that its study leaves out, from the fastest and from the slowest.
    float fast_waves_off = 0, slow_waves_off = 0;
    PositionPlot position_plot = PositionPlot::readout;
    int readout_scenes = 0;  // that places are read off of; 0: the present picture alone
    PairMeasure pair_measure = PairMeasure::cosine;
    PositionWay position_way = PositionWay::added;  // of those that the model has
    PositionCard position_card = PositionCard::properties;
    // The offset k, in columns and rows, whose rotation M(k) of a table's pairs of channels is
    // shown.
    int offset_right = 1, offset_down = 0;
    PatchOrder order{};  // that the patches are brought into
    // The patch, or word, that the one in focus is told apart from; none: its neighbor.
    std::optional<int> other_position;
    ScoresView scores_view = ScoresView::present;
    bool gradient = false;  // beside each step's values
    GradientOf gradient_of = GradientOf::answer;
    bool softmax_bench = false;   // the step of the softmax shows one row, to play with
    float bench_temperature = 1;  // of that row alone
    StageView stage_view = StageView::usual;
    float recurrent_gain = 0.9F;  // of the recurrent network beside attention
    // The attention in the plane that learns: its weights at the start, which point each point
    // should attend to (empty: the next one), and how many gradient steps were taken.
    ToyWeights toy_weights = kToyStart;
    std::vector<int> toy_targets{};
    int toy_steps = 0;
    int cards_step = kCardSteps;  // of the training of one, two and four heads
    bool heads_large = false;  // the heads panel has the picture's room too
    bool grid = true;
    bool motion = true;
    bool follow_cell = false;      // Walk says a sentence about one cell at each step
    bool moving_operands = true;   // from one step to the next, as part of the motion
    bool folder_measured = false;  // every image of that folder is run, for its numbers
    float speed = 1.0F;
    float left_width = 316.0F, right_width = 330.0F;  // of the side columns, before scaling
    std::array<Fold, kSectionCount> folds{};

    // The drawer of all that can be changed in Walk; closed until it is asked for.
    [[nodiscard]] bool experiment_open() const { return is_drawn_out(Section::experiment); }
    // The drawer of what is measured there.
    [[nodiscard]] bool numbers_open() const { return is_drawn_out(Section::numbers); }
    [[nodiscard]] bool is_drawn_out(Section drawer) const {
        return folds[static_cast<std::size_t>(drawer)] == Fold::open;
    }

    friend bool operator==(const Look&, const Look&) = default;
};

// What became of a question or a task of a lesson.
enum class LessonResult { first_try, second_try, missed, done };  // done: a task
template <>
inline constexpr auto kNames<LessonResult> =
    std::to_array<std::string_view>({"first_try", "second_try", "missed", "done"});
struct LessonMark {
    int stop = 0;    // from 0
    int number = 1;  // among the questions or the tasks of the stop, from 1
    LessonResult result = LessonResult::missed;

    friend bool operator==(const LessonMark&, const LessonMark&) = default;
};

// How far a person came in a lesson; stops are counted from 0.
struct LessonPlace {
    std::string file;
    int stop = 0, furthest = 0;
    std::vector<LessonMark> marks = {};

    friend bool operator==(const LessonPlace&, const LessonPlace&) = default;
};

struct State {
    Recipe recipe;
    std::optional<Recipe> pinned;  // the experiment kept as "before"
    // The last experiment on a picture, while tokens are given: the way back.
    std::optional<Recipe> on_picture;
    std::string reference;  // the file that the walk is held against; empty: none
    Selection selection;
    Region region;  // of the picture, whose attention is added up; empty: none
    Look look;
    std::vector<std::string> recent;         // images, newest first
    std::vector<std::string> recent_models;  // checkpoints, newest first
    std::vector<std::string> recent_tokens;  // files of tokens, newest first
    std::vector<LessonPlace> lessons;        // that were read, newest first

    friend bool operator==(const State&, const State&) = default;
};

// Equal but for the lists of files that were opened, which no undo takes back.
bool same_choices(const State& a, const State& b);

// There is something to look at: tokens that are given, a scene or an image file.
bool has_input(const Recipe& recipe);

// What it is, where it is no image file: "scene", "vectors", "words", "tokens" (of a file),
// "signal"; else empty.
std::string_view input_name(const Recipe& recipe);

// An experiment on given tokens, by itself: without weights where no model is open, and so without
// positions. One on the same kind of tokens goes on.
Recipe with_tokens(const Recipe& recipe, TokenSource tokens);
// The experiment on a picture that was left for given tokens; of others, the same.
Recipe picture_again(const State& state);
// Goes on with an experiment on a picture; no token of the others stays chosen.
void leave_tokens(State& state, Recipe on_picture);

// `look` with what stays the person's own wherever they go, taken from `own`: theme, sizes, colors,
// motion. A new field is not among them until it is added here.
Look with_own(Look look, const Look& own);

// Puts a file that was opened at the head of a list of recent ones.
void remember(std::vector<std::string>& recent, const std::string& file);
inline constexpr std::size_t kMaxRecent = 12;
void remember(std::vector<LessonPlace>& lessons, const std::string& file, int stop);
inline constexpr std::size_t kMaxLessons = 40;
// The first result of a question stays. Of a lesson that is not remembered nothing is kept.
void remember(std::vector<LessonPlace>& lessons, const std::string& file, const LessonMark& mark);
inline constexpr std::size_t kMaxMarks = 500;

// The recipe with the picture, scene or tokens of `other`, and with nothing else of it.
Recipe with_input_of(Recipe recipe, const Recipe& other);
// The same input with the model in a file, and nothing changed in either: the picture is prepared
// as for the model's training. "": a layer drawn from the seed.
Recipe with_model(const Recipe& recipe, const std::string& file);
// Where fewer layers are drawn than before, the last of them is looked at instead of one beyond.
void look_at_drawn_layer(Recipe& recipe);

// The same picture and model, looked at in the same way, without anything that a person has
// changed: what the badge in the top bar compares with, and what its button goes back to.
Recipe as_made(const Recipe& recipe);

// Queries and keys become other tokens, or the same ones again: what was looked at of the picture
// stays looked at, and of the queries it is the first.
void look_across(Selection& selection);
void look_at_tokens(Selection& selection);

// Which token and cell a first look falls on: the middle of the picture. `prefix` tokens stand
// before its patches.
Selection first_selection(int patches_across, int patches_down, int prefix = 0);

}  // namespace headlight

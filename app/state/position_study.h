#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/bias_table.h"
#include "analysis/position_differences.h"
#include "analysis/position_table.h"
#include "kernels/result.h"
#include "program/recipe.h"
#include "state/state.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// Analyses of a position embedding, computed in background tasks.
namespace headlight {

// The position embedding of the patches. Prefix tokens have rows of another kind, or none.
struct StudiedTable {
    PositionChoice choice;
    SharedResult table;       // [P, D]
    SharedResult channels;    // transposed, [D, P]
    SharedResult pairs;       // [P, P], by the question's measure
    SharedResult sheet;       // sheet_of_maps() of `pairs`
    float low = 0, high = 0;  // range of `pairs`
    OffsetProfile profile;
    PositionProperties properties;
    Pairing pairing = Pairing::neighbors;
    // Pairs that, with all waves, are nearer to each other than kCollapsed of a row's mean length.
    // Empty if the question did not ask.
    std::optional<CollapsedPairs> collapsed;
    bool turns = false;  // cos and sin of the rotation of each channel pair of queries and keys
};

// One head's relative position bias between pairs of patches.
struct StudiedBias {
    SharedResult picture;  // bias_picture()
    BiasProfile profile;
    BiasProperties properties;
    // Standard deviation of the scaled products that the bias is added to; NaN where the trace does
    // not keep them.
    double deviation_of_products = 0;
};
struct StudiedBiases {
    PositionChoice choice;
    std::vector<StudiedBias> heads;
    float low = 0, high = 0;  // range over all heads
    int rows = 0, cols = 0;   // of the patches that the offsets refer to: all, or a window's
};

struct PositionQuestion {
    std::shared_ptr<const Trace> trace;
    PositionChoice made;    // that `trace` was computed with
    PositionChoice choice;  // the wanted one; for waves, known before the trace
    PositionChoice beside;  // the choice for the other table
    // Fractions of the waves to leave out, for tables made of waves.
    double fast_off = 0, slow_off = 0;
    PairMeasure measure = PairMeasure::cosine;
    bool collapsed = false;                // whether to look for collapsed pairs, which is slow
    PositionWay way = PositionWay::added;  // one of the trace's; else its first is used

    friend bool operator==(const PositionQuestion&, const PositionQuestion&) = default;
};
struct PositionStudy {
    std::optional<StudiedTable> present;  // of the choice; empty if none is added
    // The question's `beside` or, if that equals `present`, the other kind of waves. If nothing is
    // added although a table of waves is wanted: that table. Empty if these tokens cannot have it.
    // Beside a present table, only its pairs are computed.
    std::optional<StudiedTable> beside;
    std::string why_not;  // one sentence if `beside` is empty
    // What the current table equals within a small tolerance. For the model's own table: the kind
    // whose formula gives it. For a generated one: `model`, if it equals the model's own.
    std::optional<PositionKind> equals;
    double difference = 0;
    WavesFirst first = WavesFirst::columns;  // the order of the waves of that kind
    // Set where only the scores get position information, or where this way is asked for; `present`
    // is then empty.
    std::optional<StudiedBiases> bias;
    std::vector<PositionWay> ways;  // all that the trace uses
};
// Whether the table is made of sines and cosines. A single layer has no table of its own; its
// default is the sinusoidal one.
bool is_of_waves(const PositionChoice& choice, const Model& model);

PositionStudy study_positions(const PositionQuestion& question, const StopFlag& stop = {});

// M(k): the rotation of every pair of channels from a patch to the one `down` rows and `right`
// columns away.
struct RotationQuestion {
    SharedResult table;
    Pairing pairing = Pairing::neighbors;
    int rows = 0, cols = 0, down = 0, right = 1;

    friend bool operator==(const RotationQuestion&, const RotationQuestion&) = default;
};

// How the added table relates to the token embeddings.
struct AddedQuestion {
    std::shared_ptr<const Trace> trace;

    friend bool operator==(const AddedQuestion&, const AddedQuestion&) = default;
};
// How much of it a linear map can predict from the tokens (part_read_off).
struct ReadOff {
    double table = 0, tokens = 0;
};
struct AddedStudy {
    Index patches = 0;  // all, or kMostRead of them, evenly spaced
    Index width = 0;    // channels of a token
    // The number of principal directions that hold kMainPart of each (analysis/subspaces.h), and
    // the angles between the two subspaces in degrees, smallest first.
    Index table_directions = 0, token_directions = 0;
    std::vector<double> angles;
    double table_along_tokens = 0, tokens_along_table = 0;  // fractions of their squared norms
    ReadOff of_sum;
    // The angles if both are concatenated instead of added, which doubles a token's width.
    std::vector<double> angles_side_by_side;
    ReadOff of_both;
    // Number of weights of the projections to queries, keys and values, as is and with concatenated
    // tokens; 0 if there are none.
    double weights = 0, weights_side_by_side = 0;
    double operations = 0, operations_side_by_side = 0;
};
inline constexpr double kMainPart = 0.95;
// Empty if nothing is added, or if there are fewer than three patches.
std::optional<AddedStudy> study_added(const AddedQuestion& question, const StopFlag& stop = {});

// Linear probe: how well a patch's row and column can be predicted from the residual stream after
// each layer. On the trace's own picture, each patch is predicted by a map fitted to all others.
// With drawn scenes, the map is fitted on some and tested on others (encoder/place_probe.h); the
// trace is then null, and the recipe's picture and layer have no effect (question_of_scenes).
struct ReadoutQuestion {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Model> model{};
    Recipe recipe{};
    int scenes = 0;

    friend bool operator==(const ReadoutQuestion&, const ReadoutQuestion&) = default;
};
struct Readout {
    // R² (analysis/readout.h) of the row and of the column: at the input of the first layer, then
    // after each layer. NaN if there is only one row or column.
    std::vector<double> row, column;
    Index patches = 0;           // patches that were used: all, or kMostRead of them, evenly spaced
    int taught = 0, tested = 0;  // fitted and tested scenes; 0: the trace's own picture
};
inline constexpr Index kMostRead = 512;
// Empty for a trace without a residual stream.
Readout read_positions(const ReadoutQuestion& question, std::atomic<float>& progress,
                       const StopFlag& stop = {});
// Gives an equal question for every picture and layer of that model, so it is answered once.
ReadoutQuestion question_of_scenes(std::shared_ptr<const Model> model, Recipe recipe, int scenes);

using AddedFinder = Study<AddedQuestion, std::optional<AddedStudy>>;
using ReadoutFinder = Study<ReadoutQuestion, Readout>;
using PositionFinder = Study<PositionQuestion, PositionStudy>;
using RotationFinder = Study<RotationQuestion, Turned>;

extern const PositionFinder kPositionTable;
extern const RotationFinder kRotation;
extern const ReadoutFinder kReadout;
extern const AddedFinder kAddedTable;

}  // namespace headlight

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

// What is known of a table of positions, computed beside the interface.
namespace headlight {

// Of the patches; tokens before them have rows of another kind, or none.
struct StudiedTable {
    PositionChoice choice;
    SharedResult table;       // [P, D]
    SharedResult channels;    // the same, [D, P]
    SharedResult pairs;       // [P, P], by the question's measure
    SharedResult sheet;       // sheet_of_maps() of them
    float low = 0, high = 0;  // of them
    OffsetProfile profile;
    PositionProperties properties;
    Pairing pairing = Pairing::neighbors;
    // Nearer to each other than kCollapsed of a row's mean length with all waves; nothing where the
    // question is not about them.
    std::optional<CollapsedPairs> collapsed;
    bool turns = false;  // sine and cosine of every pair of channels that queries and keys turn by
};

// One head's relative bias, of the pairs of patches.
struct StudiedBias {
    SharedResult picture;  // bias_picture()
    BiasProfile profile;
    BiasProperties properties;
    // Of the scaled products that it is added to; NaN where the trace does not keep them.
    double deviation_of_products = 0;
};
struct StudiedBiases {
    PositionChoice choice;
    std::vector<StudiedBias> heads;
    float low = 0, high = 0;  // of all of them
    int rows = 0, cols = 0;   // of the patches whose offsets it is of: all, or those of a window
};

struct PositionQuestion {
    std::shared_ptr<const Trace> trace;
    PositionChoice made;    // that it was made with
    PositionChoice choice;  // that is wanted: of waves, it is known before the trace is there
    PositionChoice beside;  // of the other table
    // Parts of the waves that are left out of tables that are made of waves.
    double fast_off = 0, slow_off = 0;
    PairMeasure measure = PairMeasure::cosine;
    bool collapsed = false;  // whether pairs of positions collapse, which takes its time
    PositionWay way = PositionWay::added;  // of those that the trace has; else the first of them

    friend bool operator==(const PositionQuestion&, const PositionQuestion&) = default;
};
struct PositionStudy {
    std::optional<StudiedTable> present;  // of the choice; nothing where none is added
    // Where that is the same as the present one: another, if there can be one. Where there is no
    // present one though a table of waves is wanted: that table. Nothing where there can be none of
    // these tokens. Beside a present one only its pairs are studied.
    std::optional<StudiedTable> beside;
    std::string why_not;  // in words, then
    // What the present table is, but for so much in a number at most: of the model's own, the kind
    // whose formula gives it; of one that was made here, `model` where it is the model's own.
    std::optional<PositionKind> equals;
    double difference = 0;
    WavesFirst first = WavesFirst::columns;  // of that kind
    // Where it is the scores that are told where patches are, and nothing else is, or this is the
    // way that is asked for: then `present` is nothing.
    std::optional<StudiedBiases> bias;
    std::vector<PositionWay> ways;  // that the trace tells them in
};
// Its table is made of sines and cosines. A layer by itself has no table of its own: its model's is
// the sinusoidal one.
bool is_of_waves(const PositionChoice& choice, const Model& model);

PositionStudy study_positions(const PositionQuestion& question, const StopFlag& stop = {});

// M(k): how every pair of channels turns from a patch to the one that lies `down` and `right` of
// it.
struct RotationQuestion {
    SharedResult table;
    Pairing pairing = Pairing::neighbors;
    int rows = 0, cols = 0, down = 0, right = 1;

    friend bool operator==(const RotationQuestion&, const RotationQuestion&) = default;
};

// How the table that is added lies to what the tokens have of their own.
struct AddedQuestion {
    std::shared_ptr<const Trace> trace;

    friend bool operator==(const AddedQuestion&, const AddedQuestion&) = default;
};
// How much of it can be read off tokens by a linear map (part_read_off).
struct ReadOff {
    double table = 0, tokens = 0;
};
struct AddedStudy {
    Index patches = 0;  // all, or kMostRead of them, evenly chosen
    Index width = 0;    // of a token
    // The main directions that hold kMainPart of both (analysis/subspaces.h), and the angles
    // between them in degrees, the smallest first.
    Index table_directions = 0, token_directions = 0;
    std::vector<double> angles;
    double table_along_tokens = 0, tokens_along_table = 0;  // parts of their squares
    ReadOff of_sum;
    // The same with both side by side, each token of twice the width.
    std::vector<double> angles_side_by_side;
    ReadOff of_both;
    // Of the product that makes queries, keys and values, as it is and with tokens so wide; 0 where
    // there is none.
    double weights = 0, weights_side_by_side = 0;
    double operations = 0, operations_side_by_side = 0;
};
inline constexpr double kMainPart = 0.95;
// Nothing where nothing is added, or the patches are fewer than three.
std::optional<AddedStudy> study_added(const AddedQuestion& question, const StopFlag& stop = {});

// How well a patch's row and column can be read off the residual stream, after each layer: of the
// trace's own picture, each patch by a map that was fitted to all others; or by one that so many
// drawn scenes taught, of other scenes (encoder/place_probe.h). Then the trace is null, and the
// recipe's picture and layer count for nothing (question_of_scenes).
struct ReadoutQuestion {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Model> model{};
    Recipe recipe{};
    int scenes = 0;

    friend bool operator==(const ReadoutQuestion&, const ReadoutQuestion&) = default;
};
struct Readout {
    // R² (analysis/readout.h) of the row and of the column: of what enters the first layer, then of
    // what each layer leaves. NaN where there is one row, or one column, alone.
    std::vector<double> row, column;
    Index patches = 0;           // that were read: all, or kMostRead of them, evenly chosen
    int taught = 0, tested = 0;  // scenes; 0: the trace's own picture
};
inline constexpr Index kMostRead = 512;
// Of a trace without a stream: nothing.
Readout read_positions(const ReadoutQuestion& question, std::atomic<float>& progress,
                       const StopFlag& stop = {});
// The same question for every picture and layer of that model, so that it is answered once.
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

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/position_table.h"
#include "encoder/shuffle.h"
#include "kernels/result.h"
#include "lanes/newest.h"
#include "program/recipe.h"
#include "trace/trace.h"

// What is known of a table of positions, computed beside the interface.
namespace headlight {

// Of the patches; tokens before them have rows of another kind, or none.
struct StudiedTable {
    PositionChoice choice;
    SharedResult table;     // [P, D]
    SharedResult channels;  // the same, [D, P]
    SharedResult cosines;   // [P, P]
    SharedResult sheet;     // sheet_of_maps()
    OffsetProfile profile;
    PositionProperties properties;
    Pairing pairing = Pairing::neighbours;
    bool turns = false;  // sine and cosine of every pair of channels that queries and keys turn by
};

struct PositionQuestion {
    std::shared_ptr<const Trace> trace;
    PositionChoice made;    // that it was made with
    PositionChoice choice;  // that is wanted: of waves, it is known before the trace is there
    PositionChoice beside;  // of the other table
    // Parts of the waves that are left out of tables that are made of waves.
    double fast_off = 0, slow_off = 0;

    friend bool operator==(const PositionQuestion&, const PositionQuestion&) = default;
};
struct PositionStudy {
    std::optional<StudiedTable> present;  // of the choice; nothing where none is added
    std::optional<StudiedTable> beside;   // nothing where there can be none of these tokens
    std::string why_not;                  // in words, then
};
// Its table is made of sines and cosines. A layer by itself has no table of its own: its model's is
// the sinusoidal one.
bool is_of_waves(const PositionChoice& choice, const Model& model);

PositionStudy study_positions(const PositionQuestion& question, const StopFlag& stop = {});

struct ShuffleQuestion {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;  // that it was made by
    std::uint64_t seed = 0;

    friend bool operator==(const ShuffleQuestion&, const ShuffleQuestion&) = default;
};

// How well a patch's row and column can be read off the residual stream, after each layer.
struct ReadoutQuestion {
    std::shared_ptr<const Trace> trace;

    friend bool operator==(const ReadoutQuestion&, const ReadoutQuestion&) = default;
};
struct Readout {
    // R² (analysis/readout.h) of the row and of the column: of what enters the first layer, then of
    // what each layer leaves. NaN where there is one row, or one column, alone.
    std::vector<double> row, column;
    Index patches = 0;  // that were read: all, or kMostRead of them, evenly chosen
};
inline constexpr Index kMostRead = 512;
// Of a trace without a stream: nothing.
Readout read_positions(const ReadoutQuestion& question, const StopFlag& stop = {});

using PositionReader = Newest<ReadoutQuestion, Readout>;
using PositionStudent = Newest<PositionQuestion, PositionStudy>;
using Shuffler = Newest<ShuffleQuestion, ShuffleEffects>;

std::unique_ptr<PositionStudent> make_position_student();
std::unique_ptr<Shuffler> make_shuffler();
std::unique_ptr<PositionReader> make_position_reader();

}  // namespace headlight

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/position_table.h"
#include "encoder/shuffle.h"
#include "kernels/result.h"
#include "program/recipe.h"
#include "lanes/newest.h"
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

    friend bool operator==(const PositionQuestion&, const PositionQuestion&) = default;
};
struct PositionStudy {
    std::optional<StudiedTable> present;  // of the choice; nothing where none is added
    std::optional<StudiedTable> beside;   // nothing where there can be none of these tokens
    std::string why_not;                  // in words, then
};
PositionStudy study_positions(const PositionQuestion& question, const StopFlag& stop = {});

struct ShuffleQuestion {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;  // that it was made by
    std::uint64_t seed = 0;

    friend bool operator==(const ShuffleQuestion&, const ShuffleQuestion&) = default;
};

using PositionStudent = Newest<PositionQuestion, PositionStudy>;
using Shuffler = Newest<ShuffleQuestion, ShuffleEffects>;

std::unique_ptr<PositionStudent> make_position_student();
std::unique_ptr<Shuffler> make_shuffler();

}  // namespace headlight

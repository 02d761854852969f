#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "gradient/map_methods.h"
#include "state/all_heads.h"
#include "state/workspace.h"
#include "tasks/latest_task.h"

// The data of a figure drawn in the window: the maps of the current result, or their difference
// from the baseline's.
namespace headlight {

struct ClassMapSetAsked {
    std::vector<MapMethod> methods;  // at least one
    std::optional<Index> of_class;   // empty for a model without classes
    std::string layers, heads;       // numbers from 1, or "all"
    Counterfactual change;           // that the result was computed with

    friend bool operator==(const ClassMapSetAsked&, const ClassMapSetAsked&) = default;
};

struct FigureQuestion {
    TokenQuestion of;
    std::optional<TokenQuestion> before;  // to subtract: the same question about the same positions
    std::optional<ClassMapSetAsked>
        class_maps;  // instead of the heads' maps; queries then have no effect

    friend bool operator==(const FigureQuestion&, const FigureQuestion&) = default;
};

// Whether the baseline's maps are subtracted.
bool shows_difference(const Workspace& work);

// The question for the current result and its selected tokens; if differences are shown, for both
// results. Throws CommandError if there is no result, if no head has maps over a picture, or if the
// requested difference does not exist.
FigureQuestion figure_question(const Workspace& work);

struct FigureMaps : MapsOfBoth {
    std::string of_class;  // class name for class maps; or ""
};
// The same numbers as token_maps() gives for the model and the picture, computed from the kept
// queries and keys; or those of class_map(). Throws CommandError where a layer's queries and keys
// are not kept, and where a method does not use the selected layers or heads.
FigureMaps figure_maps(const FigureQuestion& question, const StopFlag& stop = {});

using FigureReader = LatestTask<FigureQuestion, FigureMaps>;

// `look` without the settings that class maps do not have.
Look look_of_class_maps(Look look);

// The changes to the model as options of `headlight figure --attention`; "" if there are none.
struct FigureSettings {
    std::string json;
    std::string unsayable;  // changes without an option: "seed, position_base"; "": none
};
FigureSettings figure_settings(const Recipe& recipe, const Trace& trace);

// A command line, for copying, that writes the same figure from the same files.
struct FigureLine {
    std::string text;
    std::string why_not;  // one sentence if there is no such line
};
FigureLine figure_line(const Workspace& work, const FigureQuestion& question);

}  // namespace headlight

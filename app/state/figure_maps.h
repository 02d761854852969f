#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "gradient/map_methods.h"
#include "state/all_heads.h"
#include "state/workspace.h"
#include "tasks/latest_task.h"

// What a figure is drawn of in the window: the maps of a result that is there, or those less the
// maps of the result that was kept.
namespace headlight {

struct ClassMapSetAsked {
    std::vector<MapMethod> methods;  // one at least
    std::optional<Index> of_class;   // none: of a model without classes
    std::string layers, heads;       // from 1, or "all"
    Counterfactual change;           // that the result was made under

    friend bool operator==(const ClassMapSetAsked&, const ClassMapSetAsked&) = default;
};

struct FigureQuestion {
    TokenQuestion of;
    std::optional<TokenQuestion> before;  // what is subtracted, asked of what lies in its places
    std::optional<ClassMapSetAsked>
        class_maps;  // in place of the heads' maps: then no query counts

    friend bool operator==(const FigureQuestion&, const FigureQuestion&) = default;
};

// Whether the maps of the result that was kept are subtracted.
bool shows_difference(const Workspace& work);

// Of the result in view and the tokens that are asked there; where differences are, of both
// results. Throws CommandError where there is no result, or none whose heads have maps over a
// picture; and where a difference is asked for what it does not have.
FigureQuestion figure_question(const Workspace& work);

struct FigureMaps : MapsOfBoth {
    std::string of_class;  // of class maps: its name; or ""
};
// The numbers that token_maps() gives of the model and the picture, computed from queries and keys
// that are kept; or those of class_map(). Throws CommandError where a layer's are not kept, and
// where a method does not read the layers or heads that are chosen.
FigureMaps figure_maps(const FigureQuestion& question, const StopFlag& stop = {});

using FigureReader = LatestTask<FigureQuestion, FigureMaps>;

// Without what class maps do not have.
Look look_of_class_maps(Look look);

// What is changed of the model, as `headlight figure --attention` takes it; "" where nothing is.
struct FigureSettings {
    std::string json;
    std::string unsayable;  // those that no option has a word for: "mask, switched_off"; "": none
};
FigureSettings figure_settings(const Recipe& recipe, const Trace& trace);

// A command line, to be copied, that writes the same figure of the same files.
struct FigureLine {
    std::string text;
    std::string why_not;  // one sentence, where there is none
};
FigureLine figure_line(const Workspace& work, const FigureQuestion& question);

}  // namespace headlight

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "encoder/token_maps.h"
#include "lanes/newest.h"
#include "state/workspace.h"

// What a figure is drawn of in the window: the maps of a result that is there.
namespace headlight {

struct FigureQuestion {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Summary> summary;  // of it
    std::vector<Index> tokens;               // one at least
    Reading reading = Reading::from;

    friend bool operator==(const FigureQuestion&, const FigureQuestion&) = default;
};

// Of the result in view and the tokens that are asked there. Throws CommandError where there is no
// result, or none whose heads have maps over a picture.
FigureQuestion figure_question(const Workspace& work);

// The numbers that token_maps() gives of the model and the picture, computed from queries and keys
// that are kept. Throws CommandError where a layer's are not.
std::vector<TokenMaps> figure_maps(const FigureQuestion& question, const StopFlag& stop = {});

using FigureReader = Newest<FigureQuestion, std::vector<TokenMaps>>;

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

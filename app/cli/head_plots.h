#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/maps.h"
#include "kernels/stop.h"

// Numbers by layer, for `headlight figure --plot`.
namespace headlight::cli {

// One plot: of each layer a number for each head, and lines through all layers.
struct HeadPlot {
    std::string title;
    int first = 1;                           // the first layer's number; 0: what enters it
    std::vector<std::vector<double>> heads;  // by layer
    struct Line {
        std::string name;
        std::vector<double> values;  // by layer
    };
    std::vector<Line> lines;
};

// what: measures of headlight measure that need no other image, and lens, with commas. Of a measure
// all heads and their mean; of the lens the probabilities that the model gives its final five
// classes when it ends after each layer, read at the query, or as the model pools where none is
// named. Throws UsageError for other names, WorkError where the model has no such measure, Stopped.
std::vector<HeadPlot> read_head_plots(const MapsOptions& maps, const std::string& what,
                                      std::optional<int> of_class,
                                      const std::function<void(const std::string&)>& progress,
                                      const StopFlag& stop);

}  // namespace headlight::cli

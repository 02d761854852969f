#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/maps.h"
#include "kernels/stop.h"

// Values by layer, for `headlight figure --plot`.
namespace headlight::cli {

// One plot: for each layer a value per head, and lines across the layers.
struct HeadPlot {
    std::string title;
    std::string of_class;                    // of measures that depend on a class; else ""
    int first = 1;                           // number of the first point; 0: input
    std::vector<std::vector<double>> heads;  // by layer
    struct Line {
        std::string name;
        std::vector<double> values;  // by layer
    };
    std::vector<Line> lines;
};

// what: `lens`, or measures of `headlight measure` that need no other image; several separated by
// commas. For a measure, plots all heads and their mean. For the lens, plots the probabilities of
// the model's final five classes if it ended after each layer, at the query or, without one, pooled
// as in the model. Throws UsageError for other names, WorkError if the model has no such measure,
// Stopped.
std::vector<HeadPlot> read_head_plots(const MapsOptions& maps, const std::string& what,
                                      const std::optional<std::string>& of_class,
                                      const std::function<void(const std::string&)>& progress,
                                      const StopFlag& stop);

}  // namespace headlight::cli

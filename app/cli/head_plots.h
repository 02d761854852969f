#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/maps.h"
#include "kernels/stop.h"

// Values by layer, or by the percentage of hidden patches, for `headlight figure --plot`.
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
    std::string below;         // the name of the horizontal axis; "": layers
    std::vector<double> part;  // the place of each point on that axis, 0 to 1; empty: layers
};

struct HeadPlotsOptions {
    std::string what;                     // names of plots, separated by commas
    std::optional<std::string> of_class;  // index from 0, or name; empty: the predicted class
    std::string methods;                  // of deletion and insertion; "": those of `curves`
};

// what: `lens`, `deletion`, `insertion`, or measures of `headlight measure` that need no other
// image. For a measure, plots all heads and their mean. For the lens, plots the probabilities of
// the model's final five classes if it ended after each layer, at the query or, without one, pooled
// as in the model. For deletion and insertion, plots a line per method, named with its area. Throws
// UsageError for other names, WorkError if the model has no such measure, Stopped.
std::vector<HeadPlot> read_head_plots(const MapsOptions& maps, const HeadPlotsOptions& options,
                                      const std::function<void(const std::string&)>& progress,
                                      const StopFlag& stop);

}  // namespace headlight::cli

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "cli/class_maps.h"
#include "cli/head_plots.h"
#include "cli/maps.h"

// The same engine without a window: `headlight trace` and `headlight info`.
namespace headlight::cli {

// Adds the subcommands to the program's own options.
void add_commands(CLI::App& app);

// A subcommand's work as CLI11 wants it: a failure is said, and leaves through CLI11's own
// exception.
void guarded(const std::function<void()>& work);

// Of --part: a name, whatever it is.
CLI::Validator part_name();

// What a command that begins with tokens' maps is told of them: --model, --image, --query, …
void add_maps_options(CLI::App& command, MapsOptions& options);
// read_maps(), which a terminal can follow and interrupt.
MapsOfBoth read_maps_with_progress(const MapsOptions& options);

// The same of read_class_maps(), of the model and image that `maps` names.
ClassMapSet read_class_maps_with_progress(const MapsOptions& maps, const std::string& methods,
                                          const ClassMapsOptions& options);

// The same of read_head_plots().
std::vector<HeadPlot> read_head_plots_with_progress(const MapsOptions& maps,
                                                    const std::string& what,
                                                    std::optional<int> of_class);

// Parses the arguments and does what a subcommand among them says. Gives the exit status where the
// program is over with that: 0 done (also --help), 1 the work failed, 2 wrong usage; a failure is
// one line on standard error. Nothing: no subcommand was named, so the window is to open.
std::optional<int> run(CLI::App& app, int argc, const char* const* argv);

}  // namespace headlight::cli

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "cli/class_maps.h"
#include "cli/head_plots.h"
#include "cli/maps.h"

// The command line: the same engine without a window, as in `headlight trace` and `headlight info`.
namespace headlight::cli {

// Adds the subcommands to the program's own options.
void add_commands(CLI::App& app);

// Runs a subcommand's work; turns an exception into an error message and CLI11's own exception.
void guarded(const std::function<void()>& work);

// For --part: accepts any name.
CLI::Validator part_name();

// Options of commands that start from tokens' maps: --model, --image, --query, …
void add_maps_options(CLI::App& command, MapsOptions& options);
// read_maps() with a progress display, interruptible in a terminal.
MapsOfBoth read_maps_with_progress(const MapsOptions& options);

// The same for read_class_maps(), with the models and images that `maps` names.
ClassMapSets read_class_maps_with_progress(const MapsOptions& maps, const std::string& methods,
                                           const ClassMapsOptions& options);

// The same for read_head_plots().
std::vector<HeadPlot> read_head_plots_with_progress(const MapsOptions& maps,
                                                    const HeadPlotsOptions& options);

// Parses the arguments and runs the given subcommand. Returns the exit status: 0 success (also
// --help), 1 the work failed, 2 wrong usage; a failure prints one line to standard error. Empty: no
// subcommand was given, so open the window.
std::optional<int> run(CLI::App& app, int argc, const char* const* argv);

}  // namespace headlight::cli

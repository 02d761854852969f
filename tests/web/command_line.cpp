#include <CLI/CLI.hpp>

#include "cli/cli.h"
#include "kernels/parallel.h"

// The subcommands without a window, compiled to WebAssembly and run by Node, to compare the
// browser's results with the native program's.
int main(int argc, char** argv) {
    headlight::ThreadPool pool;
    headlight::use_pool(&pool);
    CLI::App app("Headlight's subcommands in WebAssembly");
    headlight::cli::add_commands(app);
    return headlight::cli::run(app, argc, argv).value_or(2);
}

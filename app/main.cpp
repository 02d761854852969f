#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>

#ifdef __GLIBC__
#include <execinfo.h>
#include <malloc.h>
#include <sys/resource.h>
#endif

#include "cli/cli.h"
#include "cli/errors.h"
#include "kernels/product.h"
#include "platform/loop.h"
#include "platform/shot.h"

// Wiring only: arguments in, exit status out. 0 done, 1 the work failed, 2 wrong usage.
namespace {

using namespace headlight;

constexpr int kWrongUsage = 2;

int failed(const char* sentence) {
    std::cerr << "headlight: " << sentence << '\n';
    return 1;
}

// `work` gives the status, or throws a sentence.
template <class Work>
int status_of(const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return failed("There is not enough memory for this.");
    } catch (const std::exception& error) {
        return failed(cli::sentence_of(error).c_str());
    }
}

void add_window(CLI::App& app, platform::WindowOptions& options) {
    app.add_option("IMAGE", options.files,
                   "image to show; without it, that of the last session. Others wait among the "
                   "recent files (Ctrl+O). A checkpoint is understood as with --model");
    app.add_option("--model", options.model,
                   "checkpoint of a vision transformer, or a folder that holds one");
    app.add_option("--session", options.session, "session file instead of your own");
    app.add_option("--report", options.report,
                   "file that always says what is on the screen, as JSON; for tests and assistive "
                   "tools");
}

void add_shot(CLI::App& app) {
    const auto options = std::make_shared<platform::ShotOptions>();
    CLI::App* shot = app.add_subcommand("shot", "Play a script and save pictures of the window");
    shot->add_option("--script", options->script, "file of commands, one a line")->required();
    shot->add_option("--out", options->out, "folder for the pictures")->required();
    shot->add_option("--session", options->session, "session to begin with; never changed");
    shot->footer([] { return platform::script_help(); });
    shot->callback([options] {
        const int status = status_of([&] {
            platform::run_shot(*options);
            return 0;
        });
        if (status != 0) throw CLI::RuntimeError(status);
    });
}

// A single word that names no file is a misspelt command.
bool is_misspelt(const std::string& name) {
    std::error_code unknown;
    return name.find_first_of("./") == std::string::npos && !std::filesystem::exists(name, unknown);
}

int run(int argc, char** argv) {
    CLI::App app("Headlight walks through a vision transformer, step by step");
    platform::WindowOptions options;
    add_window(app, options);
    add_shot(app);
    cli::add_commands(app);
    if (const auto status = cli::run(app, argc, argv)) return *status;
    if (!options.files.empty() && is_misspelt(options.files.front())) {
        failed(("expected a file or a command (--help lists them), found \"" +
                options.files.front() + "\".")
                   .c_str());
        return kWrongUsage;
    }
    platform::run_window(options);
    return 0;
}

// glibc takes blocks below a threshold from a heap that shrinks only at its end, and raises the
// threshold to 32 MB when blocks as large are freed. Then a few textures of large matrices, long
// gone, hold on to a hundred megabytes.
void return_freed_memory() {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

// Where memory may end (ulimit -v), it ends in a sentence. glibc loads what unwinds the stack of a
// thread when that is first done, and aborts if there is no memory left for it; oneDNN writes code
// without a look at whether it got the memory for that, so there Eigen computes.
void prepare_for_little_memory() {
#ifdef __GLIBC__
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    void* frame = nullptr;
    (void)backtrace(&frame, 1);
    set_product_backend(ProductBackend::eigen);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    return_freed_memory();
    prepare_for_little_memory();
    return status_of([&] { return run(argc, argv); });
}

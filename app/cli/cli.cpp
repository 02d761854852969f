#include "cli/cli.h"

#include <iostream>
#include <memory>
#include <new>
#include <sstream>

#include "cli/errors.h"
#include "cli/heads.h"
#include "cli/info.h"
#include "cli/interruption.h"
#include "cli/progress_line.h"
#include "cli/scenes.h"
#include "cli/trace.h"

namespace headlight::cli {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

constexpr const char* kModelFile =
    "a vision transformer or one attention layer: .safetensors, its index of shards, or .npz";
constexpr const char* kConfigFile =
    "JSON file with family, num_heads, layer_norm_eps, qk_scale, mean, std or image_size";

void print_error(const std::string& sentence) {
    std::cerr << "headlight: " << one_line(sentence) << '\n';
}

// A subcommand's work as CLI11 wants it: a failure leaves through CLI11's own exception.
template <class Work>
void guarded(const Work& work) {
    try {
        work();
    } catch (const UsageError& error) {
        print_error(error.what());
        throw CLI::RuntimeError(kWrongUsage);
    } catch (const std::bad_alloc&) {
        print_error("There is not enough memory for this.");
        throw CLI::RuntimeError(kFailed);
    } catch (const Stopped&) {
        Interruption::obey();
        throw CLI::RuntimeError(kFailed);  // who obeys does not come here
    } catch (const std::exception& error) {
        print_error(error.what());
        throw CLI::RuntimeError(kFailed);
    }
}

// Warnings come after the progress is wiped away.
void trace_with_progress(const TraceOptions& options) {
    const Interruption interruption;
    std::ostringstream warnings;
    {
        const ProgressLine line;
        run_trace(options, {warnings, [&](const std::string& text) { line.show(text); },
                            Interruption::asked});
    }
    std::cerr << warnings.str();
}

void add_trace(CLI::App& app) {
    const auto options = std::make_shared<TraceOptions>();
    CLI::App* trace = app.add_subcommand("trace", "Write what a model computes, step by step");
    trace->add_option("--model", options->model, kModelFile)->required();
    CLI::Option* image = trace->add_option("--image", options->image, "image file");
    CLI::Option* input = trace->add_option(
        "--input", options->input, "safetensors file with pixels, tokens, or query and value");
    image->excludes(input);
    trace->add_option(
        "--attention", options->attention,
        R"(what a layer's file cannot say, or what is to be changed: '{"scale": 0.1}')");
    trace->add_option("--config", options->config, kConfigFile);
    trace->add_option("--layers", options->layers, "all, or numbers from 0 such as 0,2")
        ->capture_default_str();
    trace->add_option("--out", options->out, "safetensors file to write")->required();
    trace->callback([options] { guarded([&] { trace_with_progress(*options); }); });
}

void add_info(CLI::App& app) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* info = app.add_subcommand("info", "Say what a model file holds and what it lacks");
    info->add_option("MODEL", options->model, kModelFile)->required();
    info->add_option("--config", options->config, kConfigFile);
    info->callback([options] { guarded([&] { run_info(*options, std::cout); }); });
}

void add_shape_count(CLI::App& app, ShapeCount& shapes) {
    app.add_option("--fewest", shapes.fewest, "shapes in a scene, at least")->capture_default_str();
    app.add_option("--most", shapes.most, "shapes in a scene, at most")->capture_default_str();
}

void write_scenes_with_progress(const ScenesOptions& options) {
    const Interruption interruption;
    const ProgressLine line;
    run_scenes(
        options, [&](const std::string& text) { line.show(text); }, Interruption::asked);
}

void add_scenes(CLI::App& app) {
    const auto options = std::make_shared<ScenesOptions>();
    CLI::App* scenes =
        app.add_subcommand("scenes", "Draw random scenes of shapes, as the shipped model saw them");
    scenes->add_option("--count", options->count, "how many")->required();
    scenes->add_option("--seed", options->seed, "number of the first; the next one's is one more")
        ->capture_default_str();
    scenes->add_option("--size", options->size, "pixels across and down")->capture_default_str();
    add_shape_count(*scenes, options->shapes);
    scenes->add_option("--out", options->out, "NumPy file to write: uint8 [count, size, size, 3]")
        ->required();
    CLI::Option* truth = scenes->add_option(
        "--truth", options->truth,
        "NumPy file to write: int16 [count, 1 + 2 × patches]: the kind that appears twice (6: "
        "none), the kind under each patch (6: background), the patch where its twin lies (-1: "
        "none)");
    scenes->add_option("--patch", options->patch, "pixels across a patch of --truth")
        ->capture_default_str()
        ->needs(truth);
    scenes->callback([options] { guarded([&] { write_scenes_with_progress(*options); }); });
}

void print_heads_with_progress(const HeadsOptions& options) {
    const Interruption interruption;
    std::ostringstream table;
    {
        const ProgressLine line;
        run_heads(
            options, table, [&](const std::string& text) { line.show(text); }, Interruption::asked);
    }
    std::cout << table.str() << std::flush;
    if (!std::cout) throw WorkError("Standard output: expected to be writable, found that not.");
}

void add_heads(CLI::App& app) {
    const auto options = std::make_shared<HeadsOptions>();
    CLI::App* heads =
        app.add_subcommand("heads", "Measure what a model's heads read in random scenes of shapes");
    heads->add_option("MODEL", options->model, kModelFile)->required();
    heads->add_option("--config", options->config, kConfigFile);
    heads->add_option("--scenes", options->scenes, "how many")->capture_default_str();
    heads->add_option("--seed", options->seed, "number of the first")->capture_default_str();
    add_shape_count(*heads, options->shapes);
    heads->callback([options] { guarded([&] { print_heads_with_progress(*options); }); });
}

}  // namespace

void add_commands(CLI::App& app) {
    add_trace(app);
    add_info(app);
    add_scenes(app);
    add_heads(app);
}

std::optional<int> run(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::RuntimeError& error) {
        return error.get_exit_code();
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        print_error(std::string(error.what()) + " (--help lists the options)");
        return kWrongUsage;
    }
    return app.get_subcommands().empty() ? std::nullopt : std::optional(0);
}

}  // namespace headlight::cli

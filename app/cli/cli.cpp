#include "cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/audience.h"
#include "cli/class_maps.h"
#include "cli/class_option.h"
#include "cli/compare.h"
#include "cli/curves.h"
#include "cli/errors.h"
#include "cli/features.h"
#include "cli/get.h"
#include "cli/heads.h"
#include "cli/info.h"
#include "cli/lens.h"
#include "cli/maps.h"
#include "cli/maps_files.h"
#include "cli/measure.h"
#include "cli/nearest.h"
#include "cli/norms.h"
#include "cli/number_option.h"
#include "cli/position_file.h"
#include "cli/scenes.h"
#include "cli/shell.h"
#include "cli/torch_command.h"
#include "cli/trace.h"
#include "disk/files.h"
#include "families/load.h"
#include "gradient/map_curves.h"
#include "patches/token_words.h"

namespace headlight::cli {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

constexpr const char* kModelFile =
    "file with a vision transformer, transformer layers, one attention layer or attention maps: "
    ".safetensors or the index of its shards, .pth, .npz or .npy. Or a folder with "
    "model.safetensors, or ORG/NAME[@REVISION] in the Hub's cache";
constexpr const char* kConfigFile =
    "JSON file that sets family, num_heads, layer_norm_eps, qk_scale, activation, head_activation, "
    "norm_first, resampling, mean, std, image_size, ref_feat_shape or lora_alpha. For attention "
    "maps: grid, tokens_before or sample";
constexpr const char* kPart =
    "encoder or dictionary to use, if the file has several, such as target_encoder or model_ema; "
    "headlight info lists them";
constexpr const char* kSafetensors = ".safetensors";
constexpr const char* kGridTable = ".csv";
constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kMostScenes = 1'000'000'000;

CLI::Validator not_empty(const std::string& what) {
    const auto take = [what](std::string& text) {
        return text.empty() ? "expected " + what + ", found nothing" : "";
    };
    return {take, ""};
}

CLI::Validator file_name() { return not_empty("the name of a file"); }

// Refuses other endings, because programs tell the kind of a file by its ending. `others`: more
// kinds that can be written.
CLI::Validator npy_name(const std::vector<std::string>& others = {}) {
    const auto take = [others](std::string& text) {
        const std::string name = std::filesystem::path(text).filename().string();
        const auto point = name.find_last_of('.');
        if (text.empty()) return std::string("expected the name of a file, found nothing");
        const std::string ending = point == std::string::npos ? "" : name.substr(point);
        if (ending.empty() || ending == ".npy" || std::ranges::find(others, ending) != others.end())
            return std::string();
        std::string expected = ".npy";
        for (const std::string& other : others) expected += " or " + other;
        return "expected a file that ends in " + expected + ", found \"" + text + "\"";
    };
    return {take, ""};
}

CLI::Option* add_number(CLI::App& app, const char* name, auto& number, const std::string& meaning,
                        std::uint64_t least, std::uint64_t most) {
    const std::string range = most == UINT64_MAX ? "" : fmt::format(", {} to {}", least, most);
    return app.add_option(name, number, meaning + range)
        ->transform(whole(least, most))
        ->capture_default_str();
}

void print_error(const std::string& sentence) {
    std::cerr << "headlight: " << one_line(sentence) << '\n';
}

void print_all(const std::ostringstream& text) {
    std::cout << text.str() << std::flush;
    if (!std::cout)
        throw WorkError(
            "Headlight could not write to standard output. Check the disk, or the program that "
            "receives the output.");
}

// Runs the work with a progress line, and prints what it says when that line is erased; after a
// failure only if `always`.
template <class Work>
void with_audience(const Work& work, bool always = false) {
    const Interruption interruption;
    std::ostringstream out, warnings;
    const auto say = [&] {
        std::cerr << warnings.str();
        print_all(out);
    };
    try {
        const ProgressLine line;
        work(Audience{out, warnings, line.watch(), Interruption::asked});
    } catch (const std::exception&) {
        if (always) say();
        throw;
    }
    say();
}

// What the command does.
template <class Work>
void on_call(CLI::App& command, const Work& work) {
    command.callback([work] { guarded(work); });
}

// --out, which must be given.
void add_output(CLI::App& command, auto& out, const std::string& meaning, CLI::Validator name) {
    command.add_option("--out,-o,--output", out, meaning)->required()->check(std::move(name));
}

// Prints the table whether the comparison succeeds or not.
void print_comparison(const CompareOptions& options) {
    std::ostringstream table;
    try {
        run_compare(options, table);
    } catch (const std::exception&) {
        print_all(table);
        throw;
    }
    print_all(table);
}

void add_layout_options(CLI::App& command, LayoutOptions& layout) {
    constexpr std::uint64_t kMost = 65536;
    command
        .add_option("--grid", layout.grid,
                    "attention maps only: rows and columns of the patches, such as 15x20. Default: "
                    "the grid that fits the picture")
        ->check([](const std::string& text) {
            return parse_grid(text)
                       ? ""
                       : "expected rows and columns such as 15x20, found \"" + text + "\"";
        });
    command
        .add_option("--tokens-before", layout.tokens_before,
                    "attention maps only: number of tokens before the patches")
        ->transform(whole(0, kMost));
    command
        .add_option("--sample", layout.sample,
                    "attention maps of several samples only: the sample to use, counted from 1")
        ->transform(whole(1, kMost));
}

void add_source_options(CLI::App& command, SourceOptions& options) {
    command.add_option("--model", options.model, kModelFile)->required()->check(file_name());
    CLI::Option* image =
        command.add_option("--image", options.image, "image file, or a scene as JSON")
            ->check(file_name());
    CLI::Option* input = command
                             .add_option("--input", options.input,
                                         "safetensors file with pixels, tokens, or query and "
                                         "value; or tokens as .npy: [N, D], "
                                         "[H, W, C] or [B, H, W, C]")
                             ->check(file_name());
    image->excludes(input);
    command.add_option("--attention", options.attention,
                       "JSON with settings that the file lacks or that you want to change, "
                       R"(such as '{"scale": 0.1}')");
    command.add_option("--config", options.config, kConfigFile)->check(file_name());
    command.add_option("--part", options.part, kPart)->check(part_name());
    add_layout_options(command, options.layout);
}

void add_torch(CLI::App& app) {
    const auto options = std::make_shared<TorchOptions>();
    CLI::App* torch = app.add_subcommand(
        "torch",
        "Write a Python script that repeats the computation in PyTorch and compares the results");
    add_source_options(*torch, *options);
    torch
        ->add_option("--layer", options->layer,
                     "compare every step of this layer, counted from 1. Default: the first")
        ->transform(whole(0, 10'000));  // 0 is refused with a hint about what to write
    add_output(*torch, options->out,
               "SCRIPT.py to write; its numbers go to SCRIPT.safetensors. To run it: python3 "
               "SCRIPT.py",
               file_name());
    torch->add_flag("--module", options->module,
                    "write only the layer, as one class (nn.Module) without weights");
    torch->add_option("--gradient-of", options->gradient_of,
                      "also compare gradients with autograd's: of the logit of this class (" +
                          std::string(kClassWords) +
                          "). For a model without classes: pooled, for the sum of its output. "
                          "cosine:IMAGE: of the cosine between the output (logits or pooled) and "
                          "the output for another image");
    on_call(*torch, [options] {
        with_audience([&](const Audience& audience) { run_torch(*options, audience); });
    });
}

void add_trace(CLI::App& app) {
    const auto options = std::make_shared<TraceOptions>();
    CLI::App* trace =
        app.add_subcommand("trace", "Write every tensor that a model computes, step by step");
    add_source_options(*trace, *options);
    trace
        ->add_option("--layers", options->layers,
                     "all, or numbers from 1 such as 1,3 or 1,9-12; layer 1 is layer.0 in tensor "
                     "names, which count from 0")
        ->capture_default_str();
    trace->add_option(
        "--rollout", options->rollout,
        R"(settings of the rollout: '{"fusion": "max", "discard_ratio": 0.9, "normalisation": "vit_explain"}')");
    trace->add_option(
        "--gradient-of", options->gradient_of,
        std::string(kClassWords) +
            ". Also writes the gradient of that class's logit, as X.gradient for every tensor X "
            "that depends on the picture, down to pixels.gradient. For a model without classes, "
            "give pooled to get the gradient of the sum of its pooled output. cosine:IMAGE gives "
            "that of the cosine between the output (logits or pooled) and the output for another "
            "image");
    trace->add_option("--out,-o,--output", options->out, "safetensors file to write")->required();
    const auto reference = std::make_shared<CompareOptions>();
    CLI::Option* expected =
        trace->add_option("--reference", reference->expected,
                          "safetensors, npz or npy file to compare the result with");
    trace->add_option("--map", reference->map, "as for compare")->needs(expected);
    trace->add_option("--tolerance", reference->tolerance, "as for compare")
        ->check(finite(0, kNoBound))
        ->needs(expected)
        ->capture_default_str();
    on_call(*trace, [options, reference] {
        options->reference = reference->expected;
        with_audience([&](const Audience& audience) { run_trace(*options, audience); });
        reference->found = options->out;
        if (!reference->expected.empty()) print_comparison(*reference);
    });
}

void add_compare(CLI::App& app) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App* compare = app.add_subcommand("compare", "Compare the tensors of two files");
    compare->add_option("A", options->found, "a file written by trace")->required();
    compare->add_option("B", options->expected, "the file to compare with: safetensors, npz or npy")
        ->required();
    compare->add_option("--map", options->map,
                        R"(names in A and their names in B: '{"layer.0.query": "q"}')");
    compare
        ->add_option("--tolerance", options->tolerance,
                     "largest error allowed, relative to the largest value of B's tensor")
        ->check(finite(0, kNoBound))
        ->capture_default_str();
    compare->add_flag("--json", options->json,
                      "one JSON object instead of a table; numbers that are not finite are null");
    on_call(*compare, [options] { print_comparison(*options); });
}

void add_positions(CLI::App& app) {
    const auto options = std::make_shared<PositionsOptions>();
    CLI::App* positions = app.add_subcommand(
        "positions", "Write a table of position encodings for a grid of patches");
    constexpr std::uint64_t kMost = 65536;
    positions->add_option("--kind", options->kind, alternatives(kinds_of_files()))->required();
    add_number(*positions, "--rows", options->rows, "rows of patches", 1, kMost)
        ->required()
        ->default_str("");
    add_number(*positions, "--cols", options->cols, "columns of patches", 1, kMost)
        ->required()
        ->default_str("");
    add_number(*positions, "--dim", options->dim, "width of a token; for rotary, width of a head",
               1, kMost)
        ->required()
        ->default_str("");
    positions
        ->add_option("--base", options->base,
                     "base of the wavelengths, above 1. Default: 10000, or 100 for rotary")
        ->check(finite(0, kNoBound));
    positions->add_option(
        "--first", options->first,
        "for sincos_2d, which waves come first: columns, as in MAE, or rows, as in MoCo-v3");
    positions->add_option("--seed", options->seed, "seed of a learned table. Default: 0")
        ->transform(whole(0, UINT64_MAX));
    add_output(*positions, options->out,
               "NumPy file to write: float32 [rows·cols, dim]; for rotary, sines and cosines "
               "as [2, rows·cols, dim]",
               npy_name());
    on_call(*positions, [options] { run_positions(*options); });
}

void add_info(CLI::App& app) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* info =
        app.add_subcommand("info", "Describe what a model file contains and what it does not say");
    info->add_option("MODEL", options->model, kModelFile)->required()->check(file_name());
    info->add_option("--config", options->config, kConfigFile)->check(file_name());
    info->add_option("--part", options->part, kPart)->check(part_name());
    info->add_option("--image", options->image, "attention maps only: the picture they belong to");
    add_layout_options(*info, options->layout);
    info->add_flag("--json", options->json, "one JSON object instead of lines");
    on_call(*info, [options] { run_info(*options, std::cout, std::cerr); });
    info->footer([] {
        std::string text =
            "Models that Headlight reads, by the project whose tensor names they use:";
        for (const KnownModels& known : known_models())
            text += "\n  " + known.whose + ": " + known.models;
        return text;
    });
}

void get_with_progress(const GetOptions& options) {
    const Interruption interruption;
    const ProgressLine line;
    std::ostringstream folder;
    const auto say = [&](const std::string& text) {
        line.show("");
        print_error(text);
    };
    run_get(options, {folder, say, line.watch()}, Interruption::asked);
    print_all(folder);
}

void add_get(CLI::App& app) {
    const auto options = std::make_shared<GetOptions>();
    const auto list = std::make_shared<bool>(false);
    CLI::App* get = app.add_subcommand(
        "get", "Download a model from the Hugging Face Hub into the shared cache");
    get->add_option("NAME", options->name,
                    "ORG/NAME or ORG/NAME@REVISION, such as timm/vit_small_patch16_224.dino. "
                    "Prints the folder; give it to --model");
    get->add_option("--file", options->files,
                    "a file to download instead of the model and its configs; may be repeated");
    get->add_flag("--list", *list, "list good models to start with, and download nothing");
    get->footer(
        "HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE and HF_TOKEN work as in "
        "huggingface_hub.\nAn interrupted download continues where it stopped.");
    on_call(*get, [options, list] {
        if (!*list) return get_with_progress(*options);
        std::ostringstream table;
        list_models(table);
        print_all(table);
    });
}

void add_shape_count(CLI::App& app, ShapeCount& shapes) {
    add_number(app, "--fewest", shapes.fewest, "smallest number of shapes in a scene", 2,
               kMaxShapes);
    add_number(app, "--most", shapes.most, "largest number of shapes in a scene", 2, kMaxShapes);
}

void add_scenes(CLI::App& app) {
    const auto options = std::make_shared<ScenesOptions>();
    CLI::App* scenes =
        app.add_subcommand("scenes",
                           "Draw random scenes of shapes like those that the included "
                           "model was trained on");
    add_number(*scenes, "--count", options->count, "number of scenes", 1, kMostScenes)
        ->required()
        ->default_str("");
    add_number(*scenes, "--seed", options->seed,
               "number of the first scene; the others follow in order", 0, UINT64_MAX);
    add_number(*scenes, "--size", options->size, "width and height in pixels", 8, 1024);
    add_shape_count(*scenes, options->shapes);
    add_output(*scenes, options->out, "NumPy file to write: uint8 [count, size, size, 3]",
               npy_name());
    CLI::Option* truth = scenes->add_option(
        "--truth", options->truth,
        "NumPy file to write: int32 [count, 1 + 2 × patches]. Each row lists the kind that appears "
        "twice, then the kind under each patch, then for each patch the patch at its twin's center "
        "(-1: none). Kinds: 0 disc, 1 square, 2 triangle, 3 ring, 4 cross, 5 star, 6 none");
    truth->check(npy_name());
    add_number(*scenes, "--patch", options->patch, "width of a patch in --truth, in pixels", 1,
               1024)
        ->needs(truth);
    on_call(*scenes, [options] {
        with_audience([&](const Audience& audience) { run_scenes(*options, audience); });
    });
}

void add_heads(CLI::App& app) {
    const auto options = std::make_shared<HeadsOptions>();
    CLI::App* heads = app.add_subcommand(
        "heads", "Measure what a model's heads attend to in random scenes of shapes");
    heads
        ->add_option("MODEL", options->model,
                     "a whole vision transformer, including its patch embedding")
        ->required();
    heads->add_option("--config", options->config, kConfigFile)->check(file_name());
    heads->add_option("--part", options->part, kPart)->check(part_name());
    add_number(*heads, "--scenes", options->scenes, "number of scenes", 1, kMostScenes);
    add_number(*heads, "--seed", options->seed, "number of the first scene", 0, UINT64_MAX);
    add_shape_count(*heads, options->shapes);
    on_call(*heads, [options] {
        with_audience([&](const Audience& audience) { run_heads(*options, audience); });
    });
}

// Rejects an option that would be ignored because none of the listed words needs it.
void refuse_unused(const CLI::App& command, const char* option, const std::string& list,
                   const std::vector<std::string>& followers) {
    if (command.count(option) == 0) return;
    const std::vector<std::string> listed = words_of_list(list);
    std::string names;
    for (const std::string& follower : followers) {
        if (std::ranges::find(listed, follower) != listed.end()) return;
        names += (names.empty() ? "" : " or ") + follower;
    }
    throw UsageError(std::string(option) + " can be used only with " + names + ".");
}

template <class Options>
void describe_with_progress(void (*work)(const Options&, const Audience&), const Options& options) {
    with_audience([&](const Audience& audience) { work(options, audience); }, true);
}

CLI::Validator named_as(const std::vector<std::string>& endings) {
    const auto take = [endings](std::string& text) {
        std::string expected;
        for (const std::string& ending : endings) {
            if (text.ends_with(ending)) return std::string();
            expected += (expected.empty() ? "" : " or ") + ending;
        }
        return "expected a file that ends in " + expected + ", found \"" + text + "\"";
    };
    return {take, ""};
}

CLI::Validator table_name() { return named_as({".csv", ".npz"}); }

void add_settings(CLI::App& command, SourceOptions& source) {
    command.add_option("--attention", source.attention, "settings, as for trace");
    command.add_option("--config", source.config, kConfigFile);
    command.add_option("--part", source.part, kPart)->check(part_name());
}

void add_images(CLI::App& command, std::vector<std::string>& images) {
    command
        .add_option("--images,--image", images, "image files, folders of images, or scenes as JSON")
        ->required()
        ->check(file_name());
}

void add_measure(CLI::App& app) {
    const auto options = std::make_shared<MeasureOptions>();
    SourceOptions& source = options->source;
    CLI::App* measure =
        app.add_subcommand("measure", "Measure a model's heads on your images and write a table");
    measure->add_option("--model", source.model, kModelFile)->required()->check(file_name());
    add_images(*measure, options->images);
    measure->add_option("--what", options->what,
                        "measures, separated by commas, such as entropy,distance; all are listed "
                        "below. Default: the means over the queries, which need no further runs");
    measure->add_option("--class", options->of_class,
                        "for " + measures_of_class("and") + ": " + std::string(kClassWords) +
                            ". Default: each image's predicted class");
    measure
        ->add_option(
            "--like", options->like,
            "for alike: the layer and head to compare the others with, counted from 1, such as 9.7")
        ->capture_default_str();
    measure->add_option("--query", options->query,
                        "for alike, change and region: the token whose maps are compared or added "
                        "up, written as for headlight maps");
    measure->add_option("--region", options->region,
                        "for region and within_region: a mask of the picture's size, bright in the "
                        "region and dark outside. Or a folder with one mask for each image, with "
                        "the image's name and any extension");
    measure->add_option("--before", options->before,
                        "for change and patching: the image to compare the others with");
    measure
        ->add_option("--before-model", options->before_model,
                     "for change: another model with the same numbers of layers and heads. Its "
                     "maps of each image, or of the --before image, are the baseline")
        ->check(file_name());
    measure->add_option("--before-attention", options->before_attention,
                        "for change: like --attention, for the model before; alone, the same "
                        "model with these settings");
    measure
        ->add_option("--before-config", options->before_config,
                     "for change: like --config, for the model before")
        ->check(file_name());
    measure
        ->add_option("--before-part", options->before_part,
                     "for change: like --part, for the model before; alone, another encoder of the "
                     "same file")
        ->check(part_name());
    add_settings(*measure, source);
    add_layout_options(*measure, source.layout);
    add_output(*measure, options->out,
               "table to write: .csv, or .npz with one array per column. Each row is one "
               "head of one image: image, layer, head, then the measures. Missing values are "
               "empty, or NaN in .npz",
               table_name());
    measure->add_flag("--json", options->json,
                      "describe the table on standard output: columns with units, images with "
                      "predictions, and images that failed");
    on_call(*measure, [options, measure] {
        refuse_unused(*measure, "--like", options->what, {"alike"});
        const bool of_region = options->what.empty() && !options->region.empty();
        refuse_unused(*measure, "--query", of_region ? "region" : options->what,
                      {"alike", "change", "region"});
        describe_with_progress(run_measure, *options);
    });
    measure->footer(measures_help() +
                    "\nTo measure random scenes of shapes, whose correct answers are known, use "
                    "headlight heads.");
}

void add_curves(CLI::App& app) {
    const auto options = std::make_shared<CurvesOptions>();
    SourceOptions& source = options->source;
    CLI::App* curves = app.add_subcommand(
        "curves", "Measure how a class's probability changes as patches are hidden and shown");
    curves->add_option("--model", source.model, kModelFile)->required()->check(file_name());
    add_images(*curves, options->images);
    curves
        ->add_option(
            "--methods", options->methods,
            "methods whose maps rank the patches, largest value first: " + all_patch_rankings())
        ->capture_default_str();
    curves->add_option("--class", options->of_class,
                       std::string(kClassWords) + ". Default: each image's predicted class");
    curves
        ->add_option(
            "--hide", options->hide,
            "mean_color: a hidden patch has the model's mean color; keys: no token attends "
            "to it, in any layer")
        ->type_name("TEXT:{mean_color,keys}")
        ->capture_default_str();
    add_number(*curves, "--steps", options->steps, "number of steps, at most one per patch", 1,
               100'000);
    add_number(*curves, "--seed", options->seed, "seed of the random order", 0, UINT64_MAX);
    add_settings(*curves, source);
    add_output(
        *curves, options->out,
        "table to write: .csv, or .npz with one array per column. Each row is a step: image, "
        "method, number of patches, the same as a fraction of all patches, then probability "
        "and logit when these patches are hidden (deletion) or are the only ones shown "
        "(insertion)",
        table_name());
    curves->add_flag("--json", options->json,
                     "describe the settings and the area under each curve on standard output");
    on_call(*curves, [options, curves] {
        refuse_unused(*curves, "--seed", options->methods, {"random"});
        describe_with_progress(run_curves, *options);
    });
}

void add_lens(CLI::App& app) {
    const auto options = std::make_shared<LensOptions>();
    SourceOptions& source = options->source;
    CLI::App* lens = app.add_subcommand(
        "lens", "Write what a model would answer if it ended after each of its layers");
    lens->add_option("--model", source.model, kModelFile)->required()->check(file_name());
    add_images(*lens, options->images);
    lens->add_option("--class", options->of_class,
                     "write only this class: " + std::string(kClassWords) +
                         ". Default: the most probable classes of each answer");
    CLI::Option* top = add_number(*lens, "--top", options->top,
                                  "how many classes of the model's own answer", 1, 10'000'000);
    top->excludes("--class");
    lens->add_flag("--patches", options->patches,
                   "also write what every patch would answer: its most probable class, or --class");
    add_settings(*lens, source);
    add_output(*lens, options->out,
               "table to write: .csv, or .npz with one array per column. Each row is one "
               "class: image, layer, token, row, column, rank, class, class_name, logit, "
               "probability. Layer 0 is before the first layer. For the model's own answer, "
               "token, row and column are empty, in .npz -1",
               table_name());
    lens->add_flag("--json", options->json,
                   "describe the table on standard output: columns, images with predictions, and "
                   "images that failed");
    on_call(*lens, [options] { describe_with_progress(run_lens, *options); });
    lens->footer(
        "The model's final norm and classifier are applied to the tokens after each layer (logit "
        "lens). They were not trained on early layers.");
}

void add_norms(CLI::App& app) {
    const auto options = std::make_shared<TableOptions>();
    SourceOptions& source = options->source;
    CLI::App* norms = app.add_subcommand(
        "norms", "Write the length of every token in the residual stream, layer by layer");
    norms->add_option("--model", source.model, kModelFile)->required()->check(file_name());
    add_images(*norms, options->images);
    add_settings(*norms, source);
    add_output(*norms, options->out,
               "table to write: .csv, or .npz with one array per column. Each row is one "
               "token after one layer: image, layer, token, kind, row, column, norm. Layer 0 "
               "is before the first layer. For tokens that are no patches, row and column "
               "are empty, in .npz -1",
               table_name());
    norms->add_flag("--json", options->json,
                    "describe the table on standard output: columns, images, and images that "
                    "failed");
    on_call(*norms, [options] { describe_with_progress(run_norms, *options); });
    norms->footer(
        "A few patches with very large norms are the artifacts that registers remove (Darcet et "
        "al. 2023).");
}

using FeaturesCommand = void (*)(const FeaturesOptions&, const Audience&);

void add_feature_layer(CLI::App& command, std::string& layer) {
    command
        .add_option("--layer", layer,
                    "take the features after this layer, counted from 1. last: the model's final "
                    "features, after its final norm if that covers all tokens")
        ->capture_default_str();
}

CLI::App* add_features(CLI::App& app, const char* name, const char* about, const char* images,
                       const char* out, FeaturesCommand write,
                       const std::shared_ptr<FeaturesOptions>& options) {
    CLI::App* command = app.add_subcommand(name, about);
    SourceOptions& source = options->source;
    command->add_option("--model", source.model, kModelFile)->required()->check(file_name());
    command->add_option("--image,--images", options->images, images)
        ->required()
        ->check(file_name());
    add_feature_layer(*command, options->layer);
    add_settings(*command, source);
    add_output(*command, options->out, out, npy_name());
    command->add_flag("--json", options->json, "describe the result on standard output");
    on_call(*command, [options, write] { describe_with_progress(write, *options); });
    return command;
}

void add_pca(CLI::App& app) {
    const auto options = std::make_shared<FeaturesOptions>();
    CLI::App* pca = add_features(
        app, "pca", "Write the principal components of the patches' features",
        "image files, folders of images, or scenes as JSON",
        "NumPy file to write: float32 [images, rows, columns, components], the unscaled "
        "projections onto the components that all images share. The sign of a component is chosen "
        "so that its largest loading is positive. For several images, FILE.txt lists their names",
        write_pca, options);
    add_number(*pca, "--components", options->components,
               "number of components, those with the "
               "largest variance first",
               1, 10'000);
    pca->add_option(
        "--foreground", options->foreground,
        "above:0.6 or below:0.4: use only the patches whose first component, scaled to "
        "0 to 1 over all patches, is above or below this number. All others become NaN");
    pca->add_option("--region", options->region,
                    "use only the patches in a region: a mask of the picture's size, bright in the "
                    "region and dark outside. Or a folder with one mask for each image, with the "
                    "image's name. All other patches become NaN");
}

void add_match(CLI::App& app) {
    add_features(
        app, "match", "Compare the patches of two images by a model's features",
        "two image files, or scenes as JSON",
        "NumPy file to write: cosines of the patches' features, float32 [patches of the first "
        "image, patches of the second]. --json also lists the most similar pairs of patches",
        write_matches, std::make_shared<FeaturesOptions>());
}

void add_nearest(CLI::App& app) {
    const auto options = std::make_shared<NearestOptions>();
    SourceOptions& source = options->source;
    CLI::App* nearest = app.add_subcommand(
        "nearest", "Find the images or patches most similar to a given one, by a model's features");
    nearest->add_option("--model", source.model, kModelFile)->required()->check(file_name());
    nearest->add_option("--image", source.image, "image file, or a scene as JSON")
        ->required()
        ->check(file_name());
    nearest
        ->add_option(
            "--among", options->among,
            "image files, folders of images, or scenes as JSON. The file given as --image is "
            "left out")
        ->required()
        ->check(file_name());
    nearest->add_option(
        "--query", options->query,
        "a patch of --image, such as token44, or a number that counts patches from 0: find the "
        "most similar patch of each image. Default: compare whole images by their pooled features");
    add_feature_layer(*nearest, options->layer);
    add_number(*nearest, "--count", options->count, "how many to list", 1, 1'000'000);
    add_settings(*nearest, source);
    nearest
        ->add_option("--out,-o,--output", options->out,
                     "table to write, as CSV: image and cosine, most similar first; with --query "
                     "also the patch's token, row and column. Default: standard output")
        ->check(named_as({".csv"}));
    nearest->add_flag("--json", options->json, "describe the result on standard output");
    nearest->add_flag("!--no-cache", options->keep,
                      "do not use the cache of features in ~/.cache/headlight/features");
    on_call(*nearest, [options] { describe_with_progress(write_nearest, *options); });
}

void add_query_options(CLI::App& command, MapsOptions& options) {
    command.add_option(
        "--query", options.query,
        "class, register0, token44 (\"token 44\" in the window), or a bare number, which counts "
        "patches from 0. In a model whose only other token is a class token, 43 means token44. "
        "Several: token44,token58,class. Default: class, or the middle patch if there is no class "
        "token");
    command
        .add_option("--reading", options.reading,
                    "from: what the token attends to; by: what attends to it")
        ->capture_default_str();
    command.add_option("--attention", options.attention, "settings, as for trace");
    command.add_option("--config", options.config, kConfigFile)->check(file_name());
    command.add_option("--part", options.part, kPart)->check(part_name());
    add_layout_options(command, options.layout);
    BeforeOptions& before = options.before;
    command.add_option(
        "--before", before.image,
        "subtract the maps of this image, the baseline, for the tokens in the same places");
    command.add_option("--before-model", before.model, "subtract the maps of this model");
    command.add_option("--before-attention", before.attention,
                       "subtract the maps with these settings; '{}' is the unchanged model");
    command.add_option("--before-config", before.config, "like --config, for the subtracted model");
    command.add_option("--before-part", before.part, "like --part, for the subtracted model")
        ->check(part_name());
}

void write_maps_with_progress(MapsOptions options, const std::vector<std::string>& images,
                              const std::string& out) {
    const bool of_one_map = out.ends_with(kGridTable);
    if (of_one_map) expect_one_map(options);
    if (images.size() == 1 && !is_folder(images.front())) {
        options.image = images.front();
        expect_own_output(out, options);
        const MapsOfBoth found = read_maps_with_progress(options);
        if (of_one_map) return write_map_table(found, out);
        if (is_npz(out)) return write_maps_archive(found, options, out);
        return out.ends_with(kSafetensors) ? write_maps_with_facts(found, options, out)
                                           : write_maps(found, out);
    }
    const Interruption interruption;
    const ProgressLine line;
    write_maps_of_images(options, images, out, line.watch(), Interruption::asked);
}

// What is subtracted from class maps; with an empty image, the map of each image itself.
std::optional<ClassMapsBefore> class_maps_before(const MapsOptions& maps) {
    const auto before = options_before(maps);
    if (!before) return std::nullopt;
    ClassMapsBefore made{source_of_maps(*before), maps.before.attention.has_value()};
    made.source.image = maps.before.image.value_or("");
    return made;
}

// Gives the same messages as for maps of a token.
void write_class_maps_with_progress(const MapsOptions& maps, const std::vector<std::string>& images,
                                    const ClassMapsOptions& options, const std::string& out,
                                    const CLI::App& command) {
    for (const char* option : {"--query", "--reading"})
        if (command.count(option) > 0)
            throw UsageError(std::string(option) + " cannot be used with --method " +
                             options.method + ".");
    const SourceOptions source = source_of_maps(maps);
    with_audience(
        [&](const Audience& audience) {
            write_class_maps(source, images, options, class_maps_before(maps), out, audience);
        },
        true);
}

// Treats hyphens and underscores alike.
CLI::Validator map_method() {
    const auto take = [](std::string& text) {
        std::string name = text, listed;
        std::ranges::replace(name, '-', '_');
        for (const std::string& method : map_methods()) {
            if (method == name) {
                text = name;
                return std::string();
            }
            listed += (listed.empty() ? "" : ", ") + method;
        }
        return "expected one of " + listed + ", found \"" + text + "\"";
    };
    return {take, ""};
}

// A list for --help and completions.
std::string methods_in_a_row() {
    std::string row;
    for (const std::string& method : map_methods()) row += (row.empty() ? "" : ",") + method;
    return row;
}

void add_class_maps_options(CLI::App& command, ClassMapsOptions& options) {
    command
        .add_option("--method", options.method,
                    "attention: the maps of all heads. Other methods: one map for the whole model, "
                    "see below")
        ->transform(map_method())
        ->type_name("TEXT:{" + methods_in_a_row() + "}")
        ->capture_default_str();
    command.add_option(
        "--class", options.of_class,
        "with --method: " + std::string(kClassWords) + ". Default: each image's predicted class");
    command.add_option("--layers", options.layers,
                       "the layers to write or, with --method, to use: numbers from 1 such as "
                       "9-12. Default: all. A .csv without --method holds one layer");
    command.add_option("--heads", options.heads,
                       "the heads to write or, with --method, to average: numbers from 1 such as "
                       "2,5. Default: all. A .csv without --method holds one head");
    command
        .add_option("--start-layer", options.start_layer,
                    "for rollout, gradient_rollout, relevance and legrad: how many of the first "
                    "layers to leave out. Default: none")
        ->transform(whole(0, 100'000));
    command
        .add_option("--discard-ratio", options.discard_ratio,
                    "for gradient_rollout: fraction of the cells to set to 0, the smallest first. "
                    "Default: 0")
        ->check(finite(0, 1));
    command
        .add_option("--steps", options.steps,
                    "for integrated_gradients: number of steps, 1 to 100000. Default: 32")
        ->transform(whole(1, 100'000));
    command
        .add_option("--random-weights", options.random_weights,
                    "with --method: a seed. Shuffles the numbers of each weight matrix first. A "
                    "map that stays the same does not show what the model has learned")
        ->transform(whole(0, UINT64_MAX));
    command.add_flag("--json", options.json,
                     "with --method: describe the result on standard output, with settings and "
                     "each image's class and probability");
}

void add_maps(CLI::App& app) {
    const auto options = std::make_shared<MapsOptions>();
    const auto class_maps = std::make_shared<ClassMapsOptions>();
    const auto out = std::make_shared<std::string>();
    CLI::App* maps = app.add_subcommand(
        "maps", "Write the attention maps of all heads of all layers, or of those you choose");
    const auto images = std::make_shared<std::vector<std::string>>();
    maps->add_option("--model", options->model, kModelFile)->required()->check(file_name());
    maps->add_option("--image", *images,
                     "image file, or a scene as JSON; or several, or a folder of images")
        ->required()
        ->check(file_name());
    add_query_options(*maps, *options);
    add_class_maps_options(*maps, *class_maps);
    add_output(*maps, *out,
               "NumPy file to write: float32 [layers, heads, rows, columns], in the order of "
               "--layers and --heads. Several queries: [queries, layers, ...]. Several images "
               "or a folder: [images, ...], with their names in FILE.txt. FILE may also be "
               ".npz, with the images' names, model and settings; for one image also "
               ".safetensors, with the same, or .csv for one map, with a line for each row of "
               "patches. With --before: the differences, after − before. With --method: "
               "float32 [rows, columns]",
               npy_name({kSafetensors, ".npz", kGridTable}));
    on_call(*maps, [=] {
        if (class_maps->asked())
            return write_class_maps_with_progress(*options, *images, *class_maps, *out, *maps);
        refuse_without_method(*class_maps);
        options->layers = class_maps->layers.value_or("all");
        options->heads = class_maps->heads.value_or("all");
        write_maps_with_progress(*options, *images, *out);
    });
    maps->footer(map_methods_help());
}

// Rejects an empty value, as from an unset shell variable, which would count as no value. For
// --caption, empty is valid.
void refuse_empty_values(CLI::App& app) {
    for (CLI::Option* option : app.get_options())
        if (option->get_items_expected_max() > 0 && option->get_name() != "--caption")
            option->check(not_empty("a value"));
    for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

}  // namespace

void guarded(const std::function<void()>& work) {
    try {
        work();
    } catch (const UsageError& error) {
        print_error(error.what());
        throw CLI::RuntimeError(kWrongUsage);
    } catch (const std::bad_alloc&) {
        print_error("There is not enough memory for this. Use a smaller image or model.");
        throw CLI::RuntimeError(kFailed);
    } catch (const Stopped&) {
        Interruption::obey();
        throw CLI::RuntimeError(kFailed);  // not reached after a signal
    } catch (const std::exception& error) {
        print_error(sentence_of(error));
        throw CLI::RuntimeError(kFailed);
    }
}

void add_maps_options(CLI::App& command, MapsOptions& options) {
    command.add_option("--model", options.model, kModelFile)->required()->check(file_name());
    command.add_option("--image", options.image, "image file, or a scene as JSON")
        ->required()
        ->check(file_name());
    add_query_options(command, options);
}

MapsOfBoth read_maps_with_progress(const MapsOptions& options) {
    const Interruption interruption;
    const ProgressLine line;
    return read_maps(options, line.watch(), Interruption::asked);
}

ClassMapSets read_class_maps_with_progress(const MapsOptions& maps, const std::string& methods,
                                           const ClassMapsOptions& options) {
    SourceOptions source = source_of_maps(maps);
    source.image = maps.image;
    const Interruption interruption;
    const ProgressLine line;
    return read_class_maps(source, methods, options, class_maps_before(maps),
                           {std::cout, std::cerr, line.watch(), Interruption::asked});
}

std::vector<HeadPlot> read_head_plots_with_progress(const MapsOptions& maps,
                                                    const HeadPlotsOptions& options) {
    const Interruption interruption;
    const ProgressLine line;
    return read_head_plots(maps, options, line.watch(), Interruption::asked);
}

CLI::Validator part_name() { return not_empty("the name of an encoder"); }

void add_commands(CLI::App& app) {
    add_trace(app);
    add_torch(app);
    add_info(app);
    add_get(app);
    add_compare(app);
    add_positions(app);
    add_scenes(app);
    add_heads(app);
    add_measure(app);
    add_curves(app);
    add_lens(app);
    add_norms(app);
    add_maps(app);
    add_pca(app);
    add_nearest(app);
    add_match(app);
    add_shell_commands(app);
}

std::optional<int> run(CLI::App& app, int argc, const char* const* argv) {
    refuse_empty_values(app);
    std::vector<const char*> words(argv, argv + argc);
    // In "help maps", the second word is no command to run.
    if (argc > 2 && std::string_view(words[1]) == "help" && *words[2] != '-')
        words.insert(words.begin() + 2, "--");
    try {
        app.parse(static_cast<int>(words.size()), words.data());
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

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <execinfo.h>
#include <malloc.h>
#include <sys/resource.h>
#endif

#include "cli/class_option.h"
#include "cli/cli.h"
#include "cli/curves.h"
#include "cli/errors.h"
#include "cli/layers_option.h"
#include "cli/number_option.h"
#include "export/figure_command.h"
#include "kernels/parallel.h"
#include "kernels/product.h"
#include "lecture/lesson_command.h"
#include "script/shot.h"
#include "start/loop.h"
#include "state/fields.h"

// Wiring only: arguments in, exit status out. 0 done, 1 the work failed, 2 wrong usage.
namespace {

using namespace headlight;

constexpr int kWrongUsage = 2;

int failed(const char* sentence) {
    std::cerr << "headlight: " << sentence << '\n';
    return 1;
}

// `work` returns the exit status, or throws an error with one sentence.
template <class Work>
int status_of(const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return failed("There is not enough memory for this. Use a smaller image or model.");
    } catch (const std::exception& error) {
        return failed(cli::sentence_of(error).c_str());
    }
}

void add_window(CLI::App& app, app::WindowOptions& options) {
    app.add_option("IMAGE", options.files,
                   "image to open; by default, that of the last session. Other images are added to "
                   "the recent files (Ctrl+O). A checkpoint opens as with --model, and a "
                   ".headlight.json opens as a saved experiment");
    app.add_option("--model", options.model,
                   "checkpoint of a vision transformer, a folder that holds one, or "
                   "ORG/NAME[@REVISION] in the Hub's cache");
    app.add_option(
           "--part", options.part,
           "encoder to use, if the checkpoint has several, such as target_encoder or teacher")
        ->check(cli::part_name());
    app.add_option("--screen", options.screen, "screen to show first")
        ->check(CLI::IsMember(
            std::vector<std::string>(names_of<ScreenId>().begin(), names_of<ScreenId>().end())));
    app.add_option("--layer", options.layer, "layer to show first, counted from 1");
    app.add_option("--head", options.head, "head to show first, counted from 1");
    app.add_option("--query", options.query,
                   "token to show first: class, register0 or the number of a patch from 0");
    app.add_option("--session", options.session, "session file to use instead of your own");
    app.add_option(
        "--report", options.report,
        "JSON file that always describes what is on the screen, for tests and assistive tools");
}

void add_shot(CLI::App& app) {
    const auto options = std::make_shared<app::ShotOptions>();
    CLI::App* shot = app.add_subcommand("shot", "Play a script and save pictures of the window");
    shot->add_option("--script", options->script, "file of commands, one per line")->required();
    shot->add_option("--out,-o,--output", options->out, "folder for the pictures")->required();
    shot->add_option("--session", options->session, "session to start with; it is never changed");
    shot->footer([] { return app::script_help(); });
    shot->callback([options] { cli::guarded([&] { app::run_shot(*options); }); });
}

template <class Enum>
void add_choice(CLI::App& app, const char* name, std::string& value, const char* words) {
    app.add_option(name, value, words)
        ->check(CLI::IsMember(
            std::vector<std::string>(names_of<Enum>().begin(), names_of<Enum>().end())))
        ->capture_default_str();
}

// An option with the choices of a field that the window has too.
void add_colors(CLI::App& app, const char* name, const char* words, std::string_view field,
                std::string& value) {
    const Field& chosen = *find_field(field);
    app.add_option(name, value, words)
        ->check(
            CLI::IsMember(std::vector<std::string>(chosen.choices.begin(), chosen.choices.end())))
        ->capture_default_str();
}

// An invalid list of numbers is wrong usage. Whether the model has these numbers is checked later.
void expect_ranges(const FigureLook& figure) {
    (void)cli::ranges_of("--layers", figure.layers);
    (void)cli::ranges_of("--heads", figure.heads);
}

// Rejects options that do not apply to differences.
void expect_none_of_attention(const CLI::App& figure, const std::string& combine,
                              const std::string& queries) {
    const auto refuse = [](const std::string& option, const std::string& why) {
        throw cli::UsageError(option + " cannot be used for a difference, which " + why + ".");
    };
    for (const char* option : {"--scale", "--cut", "--colors"})
        if (figure.count(option) > 0)
            refuse(option,
                   "always has a linear scale around zero. Choose its colors with --signed-colors");
    if (figure.count("--mass") > 0) refuse("--mass", "has no mass to outline");
    if (figure.count("--contours") > 0) refuse("--contours", "is drawn without lines");
    if (combine == name_of(Combined::hues)) refuse("--combine hues", "has no hues");
    if (figure.count("--several") > 0 && queries == name_of(FigureQueries::hues))
        refuse("--several hues", "has separate rows for each query");
}

app::FigureSource source_of(const cli::MapsOptions& maps) {
    std::string settings = maps.attention == "{}" ? "" : maps.attention;
    if (!maps.config.empty())
        settings += (settings.empty() ? "config " : " and config ") + maps.config;
    if (!maps.part.empty()) settings += (settings.empty() ? "part " : " and part ") + maps.part;
    return {maps.model, maps.image, settings, ""};
}

struct FigureCommand {
    cli::MapsOptions maps;
    std::string scale = "linear", theme = "light", combine, queries = "hues";
    std::string picture = "color", ground = "theme", range = "shared", methods, plots;
    cli::ClassMapsOptions class_maps;
    std::optional<double> mass, opacity;
    std::optional<std::string> caption;
    std::filesystem::path out;
    app::FigureOptions options;

    FigureCommand() { options.look.figure.resolution = 1; }
    FigureLook& figure() { return options.look.figure; }

    void run(const CLI::App& app) {
        expect_ranges(figure());
        cli::expect_own_output(out.string(), maps);
        const auto before = cli::options_before(maps);
        if (before) expect_none_of_attention(app, combine, queries);
        options.look.attention_scale = *value_named<AttentionScale>(scale);
        figure().theme = *value_named<Theme>(theme);
        figure().ground = *value_named<FigureGround>(ground);
        options.look.range = *value_named<RangeMode>(range);
        figure().picture = *value_named<FigurePicture>(picture);
        if (opacity) figure().opacity = static_cast<float>(*opacity);
        figure().queries = *value_named<FigureQueries>(queries);
        if (!combine.empty()) figure().combine = *value_named<Combined>(combine);
        if (mass) figure().mass = static_cast<float>(*mass);
        if (caption) {
            figure().caption = caption->empty() ? FigureCaption::none : FigureCaption::own;
            figure().words = *caption;
        }
        options.now = source_of(maps);
        if (before) options.before = source_of(*before);
        options.read_by = maps.reading == "by";
        if (!plots.empty()) return draw_plots(app);
        if (!methods.empty()) return draw_class_maps(app);
        if (class_maps.of_class)
            throw cli::UsageError("--class can be used only with --method or --plot.");
        if (class_maps.random_weights)
            throw cli::UsageError("--random-weights can be used only with --method.");
        app::save_figure(cli::read_maps_with_progress(maps), options, out);
    }

    // Plots values by layer instead of maps.
    void draw_plots(const CLI::App& app) {
        for (const char* option :
             {"--reading",       "--before",        "--before-model",  "--before-attention",
              "--before-config", "--before-part",   "--combine",       "--several",
              "--mass",          "--cut",           "--scale",         "--layers",
              "--heads",         "--range",         "--tile",          "--picture",
              "--opacity",       "--colors",        "--signed-colors", "--smooth",
              "--contours",      "--random-weights"})
            if (app.count(option) > 0)
                throw cli::UsageError(std::string(option) + " cannot be used with --plot.");
        figure::PlotSheet sheet;
        sheet.columns = figure().columns;
        std::string of_class;
        for (cli::HeadPlot& plot :
             cli::read_head_plots_with_progress(maps, {plots, class_maps.of_class, methods})) {
            figure::PlotPanel& panel = sheet.panels.emplace_back();
            panel.title = std::move(plot.title);
            if (!plot.of_class.empty()) of_class = std::move(plot.of_class);
            panel.first = plot.first;
            panel.dots = std::move(plot.heads);
            for (cli::HeadPlot::Line& line : plot.lines)
                panel.lines.push_back({std::move(line.name), std::move(line.values)});
            panel.below = std::move(plot.below);
            panel.part = std::move(plot.part);
        }
        const std::string image = std::filesystem::path(options.now.image).filename().string();
        sheet.caption = figure().caption == FigureCaption::own    ? figure().words
                        : figure().caption == FigureCaption::none ? ""
                        : of_class.empty()                        ? image
                                           : image + ", class “" + of_class + "”";
        figure::Provenance facts{{"made by", "Headlight " HEADLIGHT_VERSION},
                                 {"model", options.now.model},
                                 {"image", options.now.image},
                                 {"shows", plots}};
        if (!of_class.empty()) facts.push_back({"class", of_class});
        if (!options.now.settings.empty()) facts.push_back({"settings", options.now.settings});
        app::save_plots(sheet, facts, options, out);
    }

    // Draws class maps instead of the heads' maps.
    void draw_class_maps(const CLI::App& app) {
        for (const char* option :
             {"--query", "--reading", "--combine", "--several", "--mass", "--cut", "--scale"})
            if (app.count(option) > 0)
                throw cli::UsageError(std::string(option) + " cannot be used with --method.");
        const auto given = [&](const char* option, const std::string& value) {
            return app.count(option) > 0 ? std::optional(value) : std::nullopt;
        };
        class_maps.layers = given("--layers", figure().layers);
        class_maps.heads = given("--heads", figure().heads);
        figure().layers = figure().heads = "all";  // of the maps that are drawn
        auto [now, before] = cli::read_class_maps_with_progress(maps, methods, class_maps);
        options.class_maps = {now.methods, std::move(now.of_class)};
        options.now.random_weights = class_maps.random_weights;
        MapsOfBoth both{{std::move(now.maps)}, {}};
        if (before) both.before.push_back(std::move(before->maps));
        app::save_figure(std::move(both), options, out);
    }
};

void add_figure_choice(CLI::App& sub, const std::shared_ptr<FigureCommand>& command) {
    FigureLook& figure = command->figure();
    sub.add_option("--layers", figure.layers,
                   "layers to draw: all, or numbers from 1 such as 3 or 1,9-12")
        ->capture_default_str();
    sub.add_option("--heads", figure.heads, "heads to draw, written like --layers")
        ->capture_default_str();
    add_choice<FigureQueries>(
        sub, "--several", command->queries,
        "for several queries: one map with a hue for each, or a row for each");
    add_choice<Combined>(sub, "--combine", command->combine,
                         "combine the chosen heads into one map. hues: each patch has the hue of "
                         "the head that attends to it most");
    sub.add_option("--mass", command->mass,
                   "outline the smallest set of patches that holds this percentage of the "
                   "attention to patches")
        ->check(cli::finite(0, 100));
    sub.add_option("--opacity", command->opacity,
                   "opacity of the maps over the picture, 0 to 1. Default: 0.65; 0.75 for hues; 1 "
                   "without a picture")
        ->check(cli::finite(0, 1));
    sub.add_option(
        "--method", command->methods,
        "draw class maps instead, by the methods of headlight maps, such as relevance or "
        "relevance,grad_cam. They use --layers and --heads. With --plot deletion or insertion: the "
        "methods of headlight curves. Default there: " +
            std::string(cli::kCurvesMethods));
    sub.add_option("--class", command->class_maps.of_class,
                   "with --method or --plot: " + std::string(cli::kClassWords) +
                       ". Default: the predicted class");
    sub.add_option("--random-weights", command->class_maps.random_weights,
                   "with --method: a seed. Shuffles the numbers of each weight matrix first")
        ->transform(cli::whole(0, UINT64_MAX));
    sub.add_option(
        "--plot", command->plots,
        "plot numbers by layer instead: measures of all heads, as in headlight measure, such as "
        "entropy,distance,importance; or lens, the class probabilities after each layer. "
        "deletion,insertion: the class probability as patches are hidden and shown, as in "
        "headlight "
        "curves");
}

void add_figure_colors(CLI::App& sub, const std::shared_ptr<FigureCommand>& command) {
    add_choice<FigurePicture>(sub, "--picture", command->picture, "picture below the maps");
    add_choice<AttentionScale>(sub, "--scale", command->scale, "how attention is mapped to colors");
    sub.add_option("--cut", command->options.look.attention_cut,
                   "percentage of the cells to clip, the largest first")
        ->check(cli::finite(0, kMostCut))
        ->capture_default_str();
    add_colors(sub, "--colors", "colors of attention, from zero up", "attention_map",
               command->options.look.attention_map);
    add_colors(sub, "--signed-colors", "colors of signed numbers", "signed_map",
               command->options.look.signed_map);
    sub.add_flag("--smooth", command->options.look.heads_smooth,
                 "interpolate between the centers of the patches; otherwise one square per patch");
    sub.add_flag("--contours", command->options.look.heads_contours,
                 "draw lines of equal attention, at round numbers of the scale");
}

void add_figure_page(CLI::App& sub, const std::shared_ptr<FigureCommand>& command) {
    FigureLook& figure = command->figure();
    sub.add_option("--columns", figure.columns,
                   "number of maps or plots side by side; 0: as many as a layer has heads, or all "
                   "plots")
        ->transform(cli::whole(0, kMostColumns))
        ->capture_default_str();
    sub.add_option("--tile", figure.tile, "longer side of a map, in units (see --resolution)")
        ->transform(cli::whole(kLeastTile, kMostTile))
        ->capture_default_str();
    sub.add_option("--caption", command->caption, "text above the maps; '' for none");
    add_choice<Theme>(sub, "--theme", command->theme, "dark or light colors");
    add_choice<FigureGround>(sub, "--ground", command->ground,
                             "background: the theme's, white, or transparent");
    sub.add_option("--range", command->range,
                   "shared: one scale for all maps; own: each map has its own")
        ->check(CLI::IsMember({"shared", "own"}))
        ->capture_default_str();
    sub.add_option("--width-cm", figure.width_cm,
                   "printed width of the figure in cm. Everything is scaled to it, and a PNG has "
                   "300 pixels per inch")
        ->check(cli::finite(0, kMostWidthCm));
    sub.add_option("--resolution", figure.resolution, "pixels per unit of a PNG")
        ->transform(cli::whole(1, kMostResolution))
        ->capture_default_str();
    sub.add_option("--out,-o,--output", command->out,
                   "file to write: .svg, .pdf or .png. PDFs, and PNGs without a display, "
                   "need the libraries librsvg and cairo")
        ->required()
        ->check([](const std::string& path) {
            const std::string ending = std::filesystem::path(path).extension().string();
            return ending == ".svg" || ending == ".png" || ending == ".pdf"
                       ? ""
                       : "expected a file that ends in .svg, .pdf or .png, found \"" + path + "\"";
        });
}

void add_figure(CLI::App& app) {
    const auto command = std::make_shared<FigureCommand>();
    CLI::App* sub = app.add_subcommand(
        "figure", "Draw the attention maps of chosen heads, or their difference");
    cli::add_maps_options(*sub, command->maps);
    add_figure_choice(*sub, command);
    add_figure_colors(*sub, command);
    add_figure_page(*sub, command);
    sub->callback([command, sub] { cli::guarded([&] { command->run(*sub); }); });
}

void add_lesson(CLI::App& app) {
    const auto files = std::make_shared<std::vector<std::filesystem::path>>();
    const auto out = std::make_shared<std::filesystem::path>();
    CLI::App* lesson =
        app.add_subcommand("lesson", "Check a lesson, write it as a web page, or begin a new one");
    lesson->require_subcommand(1);
    CLI::App* check =
        lesson->add_subcommand("check", "Report every mistake with its line and reason");
    check->add_option("FILE", *files, "lessons (.md)")->required();
    check->callback([files] {
        std::size_t wrong = 0;
        cli::guarded([&] { wrong = app::check_lessons(*files, std::cout, std::cerr); });
        if (wrong > 0) throw CLI::RuntimeError(1);
    });
    CLI::App* handout =
        lesson->add_subcommand("handout", "Write a lesson as a web page with pictures");
    handout->add_option("FILE", *files, "lesson (.md)")->required()->expected(1);
    handout->add_option("--out,-o,--output", *out, "folder for the page and its pictures")
        ->required();
    handout->callback(
        [files, out] { cli::guarded([&] { app::write_handout(files->front(), *out); }); });
    CLI::App* begin =
        lesson->add_subcommand("new", "Write a template for a new lesson, with explanations");
    begin->add_option("FILE", *files, "lesson to write (.md)")->required()->expected(1);
    begin->callback([files] { cli::guarded([&] { app::begin_lesson(files->front()); }); });
}

// A single word that names no file is a misspelled command.
bool is_misspelt(const std::string& name) {
    std::error_code unknown;
    return name.find_first_of("./") == std::string::npos && !std::filesystem::exists(name, unknown);
}

int run(int argc, char** argv) {
    CLI::App app("Headlight shows what a vision transformer does to an image, step by step");
    app::WindowOptions options;
    app.set_version_flag("--version", "Headlight " HEADLIGHT_VERSION);
    add_window(app, options);
    add_shot(app);
    add_figure(app);
    add_lesson(app);
    cli::add_commands(app);
    if (const auto status = cli::run(app, argc, argv)) return *status;
    if (!options.files.empty() && is_misspelt(options.files.front())) {
        failed(("expected a file or a command (--help lists them), found \"" +
                options.files.front() + "\".")
                   .c_str());
        return kWrongUsage;
    }
    app::run_window(options);
    return 0;
}

// glibc serves blocks below a threshold from a heap that shrinks only at its end, and raises the
// threshold to 32 MB after blocks of that size are freed. Then a few textures of large matrices
// would keep a hundred megabytes allocated. What one frame frees at the heap's end the next one
// allocates again, so some of it is kept.
void return_freed_memory() {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
    mallopt(M_TOP_PAD, 4 << 20);
#endif
}

// With a memory limit (ulimit -v), running out of memory must give an error message. glibc loads
// the stack unwinder when a thread first needs it, and aborts if there is no memory for that.
// oneDNN generates code without checking that it got the memory, so Eigen is used under a limit.
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
    ThreadPool pool;
    use_pool(&pool);
    return status_of([&] { return run(argc, argv); });
}
